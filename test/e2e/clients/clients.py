"""Python clients, unchanged, on the gateway: each plays its whole loop and prints what it ended with, as one line of JSON.

usage: clients.py CLIENT BASE_URL MODEL
"""
import asyncio
import json
import sys

from pydantic import BaseModel

QUESTION = "How warm is it in Oslo? Use the tool."
RESULT = "It is 14 degrees in Oslo."


class Report(BaseModel):
    """The weather of a city."""

    city: str
    degrees: int


used = []


def get_weather(city: str, days: int) -> str:
    """The weather of a city.

    Args:
        city: The name of the city.
        days: How many days ahead.
    """
    used.append([city, days])
    return RESULT


def smolagents_tool_calling(base_url, model, stream):
    from smolagents import OpenAIServerModel, ToolCallingAgent, tool

    asked = OpenAIServerModel(model_id=model, api_base=base_url, api_key="none")
    agent = ToolCallingAgent(tools=[tool(get_weather)], model=asked, max_steps=4, verbosity_level=0, stream_outputs=stream)
    return agent.run(QUESTION)


def pydantic_ai_agent(base_url, model):
    from pydantic_ai import Agent, NativeOutput
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    asked = OpenAIChatModel(model, provider=OpenAIProvider(base_url=base_url, api_key="none"))
    return Agent(asked, tools=[get_weather], output_type=NativeOutput(Report))


def pydantic_ai_whole(base_url, model):
    return pydantic_ai_agent(base_url, model).run_sync(QUESTION).output.model_dump()


def pydantic_ai_streamed(base_url, model):
    async def run():
        async with pydantic_ai_agent(base_url, model).run_stream(QUESTION) as result:
            return (await result.get_output()).model_dump()

    return asyncio.run(run())


def langchain_provider_strategy(base_url, model):
    from langchain.agents import create_agent
    from langchain.agents.structured_output import ProviderStrategy
    from langchain_openai import ChatOpenAI

    asked = ChatOpenAI(model=model, base_url=base_url, api_key="none", max_retries=0)
    agent = create_agent(asked, tools=[get_weather], response_format=ProviderStrategy(Report))
    return agent.invoke({"messages": [{"role": "user", "content": QUESTION}]})["structured_response"].model_dump()


def openai_parse(base_url, model, stream):
    import openai

    class GetWeather(BaseModel):
        city: str
        days: int

    client = openai.OpenAI(base_url=base_url, api_key="none", max_retries=0)
    tools = [openai.pydantic_function_tool(GetWeather, name="get_weather", description="The weather of a city.")]
    messages = [{"role": "user", "content": QUESTION}]
    for _ in range(4):
        request = {"model": model, "messages": messages, "tools": tools, "response_format": Report}
        if stream:
            with client.chat.completions.stream(**request) as events:
                for _event in events:
                    pass
                message = events.get_final_completion().choices[0].message
        else:
            message = client.chat.completions.parse(**request).choices[0].message
        if not message.tool_calls:
            return message.parsed.model_dump()
        assert message.content is None, message.content
        messages.append(message.model_dump(exclude_none=True, exclude={"parsed"}))
        for call in message.tool_calls:
            content = get_weather(**call.function.parsed_arguments.model_dump())
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    raise SystemExit("no answer after four turns")


CLIENTS = {
    "smolagents": lambda base, model: smolagents_tool_calling(base, model, False),
    "smolagents-streamed": lambda base, model: smolagents_tool_calling(base, model, True),
    "pydantic-ai": pydantic_ai_whole,
    "pydantic-ai-streamed": pydantic_ai_streamed,
    "langchain": langchain_provider_strategy,
    "openai": lambda base, model: openai_parse(base, model, False),
    "openai-streamed": lambda base, model: openai_parse(base, model, True),
}

if __name__ == "__main__":
    _, client, base_url, model = sys.argv
    answer = CLIENTS[client](base_url, model)
    # A line of its own, whatever the client has printed before.
    print("\n" + json.dumps({"answer": answer, "used": used}))
