// Every family that Postel reads, a row each: what docs/formats.md shows and what configuration may name. Data only.

/** The body grammar: J JSON, X tagged parameters, P Python calls, L brace literals, T labelled text. */
type BodyGrammar = "J" | "X" | "P" | "L" | "T";

export interface Family {
  readonly id: string;
  readonly grammar: BodyGrammar;
  /** Models that write it, by template or by leak. */
  readonly writtenBy: string;
  /** The mark by which it is known; empty where it has none of its own. */
  readonly mark: string;
  /** One call of `weather {city, days?}`, as such a model writes it. */
  readonly example: string;
}

export const FAMILIES: readonly Family[] = [
  {
    id: "hermes-json",
    grammar: "J",
    writtenBy: "Hermes, Qwen2.5, Qwen3, QwQ, Granite 4, SmolLM3, most fine-tunes",
    mark: "<tool_call>",
    example: '<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>',
  },
  {
    id: "qwen25-coder-tools",
    grammar: "J",
    writtenBy: "Qwen2.5-Coder",
    mark: "<tools>",
    example: '<tools>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tools>',
  },
  {
    id: "ernie-json",
    grammar: "J",
    writtenBy: "ERNIE 4.5, X1",
    mark: "<tool_call>",
    example: '<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>',
  },
  {
    id: "longcat-json",
    grammar: "J",
    writtenBy: "LongCat-Flash",
    mark: "<longcat_tool_call>",
    example: '<longcat_tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</longcat_tool_call>',
  },
  {
    id: "step-audio2",
    grammar: "J",
    writtenBy: "Step-Audio 2",
    mark: "<tool_call>function",
    example: '<tool_call>function\nweather\n{"city": "Oslo"}</tool_call>',
  },
  {
    id: "granite3-json",
    grammar: "J",
    writtenBy: "Granite 3.0–3.3",
    mark: "<|tool_call|>",
    example: '<|tool_call|>[{"name": "weather", "arguments": {"city": "Oslo"}}]',
  },
  {
    id: "granite20b-fc",
    grammar: "J",
    writtenBy: "Granite-20B-functioncalling",
    mark: "<function_call>",
    example: '<function_call> {"name": "weather", "arguments": {"city": "Oslo"}}',
  },
  {
    id: "jamba-array",
    grammar: "J",
    writtenBy: "Jamba, Apriel, Hunyuan-A13B",
    mark: "<tool_calls>",
    example: '<tool_calls>[{"name": "weather", "arguments": {"city": "Oslo"}}]</tool_calls>',
  },
  {
    id: "minimax-m1",
    grammar: "J",
    writtenBy: "MiniMax-M1, Text-01",
    mark: "<tool_calls>",
    example: '<tool_calls>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_calls>',
  },
  {
    id: "nemotron-toolcall",
    grammar: "J",
    writtenBy: "Nemotron Nano v2, Llama-Nemotron",
    mark: "<TOOLCALL>",
    example: '<TOOLCALL>[{"name": "weather", "arguments": {"city": "Oslo"}}]</TOOLCALL>',
  },
  {
    id: "functools",
    grammar: "J",
    writtenBy: "Phi-4-mini, FireFunction v2",
    mark: "functools[",
    example: 'functools[{"name": "weather", "arguments": {"city": "Oslo"}}]',
  },
  {
    id: "phi4-tag",
    grammar: "J",
    writtenBy: "Phi-4-mini",
    mark: "<|tool_call|>",
    example: '<|tool_call|>[{"name": "weather", "arguments": {"city": "Oslo"}}]<|/tool_call|>',
  },
  {
    id: "internlm-plugin",
    grammar: "J",
    writtenBy: "InternLM 2 and 2.5, Intern-S1",
    mark: "<|action_start|><|plugin|>",
    example: '<|action_start|><|plugin|>\n{"name": "weather", "parameters": {"city": "Oslo"}}<|action_end|>',
  },
  {
    id: "pangu-array",
    grammar: "J",
    writtenBy: "openPangu",
    mark: "[unused11]",
    example: '[unused11][{"name": "weather", "arguments": {"city": "Oslo"}}][unused12]',
  },
  {
    id: "apertus-array",
    grammar: "J",
    writtenBy: "Apertus",
    mark: "<|tools_prefix|>",
    example: '<|tools_prefix|>[{"weather": {"city": "Oslo"}}]<|tools_suffix|>',
  },
  {
    id: "cohere-action",
    grammar: "J",
    writtenBy: "Command R7B, Command A",
    mark: "<|START_ACTION|>",
    example:
      '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "weather", "parameters": {"city": "Oslo"}}]<|END_ACTION|>',
  },
  {
    id: "command-r-fenced",
    grammar: "J",
    writtenBy: "Command R, R+",
    mark: "Action: ```json",
    example: 'Action: ```json\n[{"tool_name": "weather", "parameters": {"city": "Oslo"}}]\n```',
  },
  {
    id: "gigachat3",
    grammar: "J",
    writtenBy: "GigaChat 3, 3.1",
    mark: "<|function_call|>",
    example: '<|function_call|>{"name": "weather", "arguments": {"city": "Oslo"}}',
  },
  {
    id: "hyperclovax-role",
    grammar: "J",
    writtenBy: "HyperCLOVAX-SEED-Think 14B",
    mark: " -> tool/function_call",
    example: ' -> tool/function_call\n[{"name": "weather", "arguments": {"city": "Oslo"}}]',
  },
  {
    id: "xlam-array",
    grammar: "J",
    writtenBy: "xLAM, Hammer",
    mark: "",
    example: '[{"name": "weather", "arguments": {"city": "Oslo"}}]',
  },
  {
    id: "llama3-json",
    grammar: "J",
    writtenBy: "Llama 3.1–3.3",
    mark: "<|python_tag|>",
    example: '{"name": "weather", "parameters": {"city": "Oslo"}}',
  },
  {
    id: "llama-builtin",
    grammar: "P",
    writtenBy: "Llama 3.1 with built-in tools",
    mark: "<|python_tag|>",
    example: '<|python_tag|>weather.call(city="Oslo")',
  },
  {
    id: "mistral-array",
    grammar: "J",
    writtenBy: "Mistral 7B v0.3, Nemo, Large 2407, Mixtral",
    mark: "[TOOL_CALLS]",
    example: '[TOOL_CALLS][{"name": "weather", "arguments": {"city": "Oslo"}}]',
  },
  {
    id: "mistral-args",
    grammar: "J",
    writtenBy: "Mistral Small 3.2 and later, Devstral, Magistral",
    mark: "[TOOL_CALLS]",
    example: '[TOOL_CALLS]weather[ARGS]{"city": "Oslo"}',
  },
  {
    id: "deepseek-v3",
    grammar: "J",
    writtenBy: "DeepSeek V2.5, V3, R1",
    mark: "<｜tool▁calls▁begin｜>",
    example:
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>weather\n```json\n{"city": "Oslo"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  },
  {
    id: "deepseek-v31",
    grammar: "J",
    writtenBy: "DeepSeek V3.1",
    mark: "<｜tool▁calls▁begin｜>",
    example:
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>weather<｜tool▁sep｜>{"city": "Oslo"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  },
  {
    id: "deepseek-v32",
    grammar: "X",
    writtenBy: "DeepSeek V3.2",
    mark: "<｜DSML｜function_calls>",
    example:
      '<｜DSML｜function_calls>\n<｜DSML｜invoke name="weather">\n<｜DSML｜parameter name="city" string="true">Oslo</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
  },
  {
    id: "deepseek-v4",
    grammar: "X",
    writtenBy: "DeepSeek V4",
    mark: "<｜DSML｜tool_calls>",
    example:
      '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="weather">\n<｜DSML｜parameter name="city" string="true">Oslo</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
  },
  {
    id: "deepseek-v41",
    grammar: "X",
    writtenBy: "DeepSeek V4.1",
    mark: "<｜DSML｜ calls>",
    example:
      '<｜DSML｜ calls>\n<｜DSML｜ invoke name="weather">\n<｜DSML｜ parameter name="city" string="true">Oslo</｜DSML｜ parameter>\n</｜DSML｜ invoke>\n</｜DSML｜ calls>',
  },
  {
    id: "gcml",
    grammar: "X",
    writtenBy: "GigaChat 3.5",
    mark: "<｜GCML｜tool_calls>",
    example:
      '<｜GCML｜tool_calls>\n<｜GCML｜invoke name="weather">\n<｜GCML｜parameter name="city" string="true">Oslo</｜GCML｜parameter>\n</｜GCML｜invoke>\n</｜GCML｜tool_calls>',
  },
  {
    id: "kimi-k2",
    grammar: "J",
    writtenBy: "Kimi K2",
    mark: "<|tool_calls_section_begin|>",
    example:
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.weather:0<|tool_call_argument_begin|>{"city": "Oslo"}<|tool_call_end|><|tool_calls_section_end|>',
  },
  {
    id: "kimi-k3",
    grammar: "X",
    writtenBy: "Kimi K3",
    mark: "<|open|>tools<|sep|>",
    example:
      '<|open|>tools<|sep|><|open|>call tool="weather" index="0"<|sep|><|open|>argument key="city" type="string"<|sep|>Oslo<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>',
  },
  {
    id: "solar-open",
    grammar: "J",
    writtenBy: "Solar Open 100B",
    mark: "<|tool_calls|>",
    example:
      '<|tool_calls|><|tool_call:begin|>c1<|tool_call:name|>weather<|tool_call:args|>{"city": "Oslo"}<|tool_call:end|><|calls|>',
  },
  {
    id: "solar-open2",
    grammar: "X",
    writtenBy: "Solar Open 2",
    mark: "<|tool_call:start|>",
    example:
      "<|tool_call:start|>weather\n<|tool_arg:start|>city<|tool_arg:value|>Oslo<|tool_arg:end|><|tool_call:end|>",
  },
  {
    id: "plamo3",
    grammar: "J",
    writtenBy: "PLaMo 3",
    mark: "<|plamo:begin_tool_requests:plamo|>",
    example:
      '<|plamo:begin_tool_requests:plamo|><|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>weather<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|>{"city": "Oslo"}<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|><|plamo:end_tool_requests:plamo|>',
  },
  {
    id: "inkling",
    grammar: "J",
    writtenBy: "Inkling",
    mark: "<|content_invoke_tool_json|>",
    example: '<|content_invoke_tool_json|>{"name": "weather", "args": {"city": "Oslo"}}<|end_message|>',
  },
  {
    id: "harmony",
    grammar: "J",
    writtenBy: "gpt-oss",
    mark: "to=functions.NAME",
    example: '<|channel|>commentary to=functions.weather <|constrain|>json<|message|>{"city": "Oslo"}<|call|>',
  },
  {
    id: "muse-atem",
    grammar: "X",
    writtenBy: "Muse Glimmer",
    mark: "<atem:function_calls>",
    example:
      '<atem:function_calls><atem:invoke name="weather"><atem:parameter name="city">Oslo</atem:parameter></atem:invoke></atem:function_calls>',
  },
  {
    id: "qwen3-xml",
    grammar: "X",
    writtenBy: "Qwen3-Coder, Qwen3.5 and later, Nemotron 3, Step 3.5, MiMo-V2",
    mark: "<tool_call>",
    example: "<tool_call>\n<function=weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>",
  },
  {
    id: "seed-xml",
    grammar: "X",
    writtenBy: "Seed-OSS, Doubao Seed",
    mark: "<seed:tool_call>",
    example: "<seed:tool_call>\n<function=weather>\n<parameter=city>Oslo</parameter>\n</function>\n</seed:tool_call>",
  },
  {
    id: "minimax-m2",
    grammar: "X",
    writtenBy: "MiniMax M2",
    mark: "<minimax:tool_call>",
    example:
      '<minimax:tool_call>\n<invoke name="weather">\n<parameter name="city">Oslo</parameter>\n</invoke>\n</minimax:tool_call>',
  },
  {
    id: "minimax-m3",
    grammar: "X",
    writtenBy: "MiniMax M3",
    mark: "]<]minimax[>[<tool_call>",
    example:
      ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="weather">]<]minimax[>[<city>Oslo]<]minimax[>[</city>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>',
  },
  {
    id: "minimax-bracket",
    grammar: "L",
    writtenBy: "MiniMax M2, as a leak",
    mark: "[TOOL_CALL]",
    example: '[TOOL_CALL]\n{tool => "weather", args => {\n  --city "Oslo"\n}}\n[/TOOL_CALL]',
  },
  {
    id: "anthropic-xml",
    grammar: "X",
    writtenBy: "Claude; prompts that copy its form",
    mark: "<function_calls>",
    example:
      '<function_calls>\n<invoke name="weather">\n<parameter name="city">Oslo</parameter>\n</invoke>\n</function_calls>',
  },
  {
    id: "anthropic-legacy",
    grammar: "X",
    writtenBy: "Claude 2",
    mark: "<function_calls>",
    example:
      "<function_calls>\n<invoke>\n<tool_name>weather</tool_name>\n<parameters>\n<city>Oslo</city>\n</parameters>\n</invoke>\n</function_calls>",
  },
  {
    id: "rwkv-xml",
    grammar: "X",
    writtenBy: "RWKV",
    mark: "<tool_call>",
    example: '<tool_call>\n<invoke name="weather">\n<parameter name="city">Oslo</parameter>\n</invoke>\n</tool_call>',
  },
  {
    id: "dots-xml",
    grammar: "X",
    writtenBy: "Dots",
    mark: "<dots_function_call>",
    example:
      '<dots_function_call>\n<invoke name="weather">\n<parameter name="city">Oslo</parameter>\n</invoke>\n</dots_function_call>',
  },
  {
    id: "step3-steptml",
    grammar: "X",
    writtenBy: "Step-3",
    mark: "<｜tool_calls_begin｜>",
    example:
      '<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="weather"><steptml:parameter name="city">Oslo</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>',
  },
  {
    id: "minicpm5-xml",
    grammar: "X",
    writtenBy: "MiniCPM 4 and 5",
    mark: '<function name="NAME">',
    example: '<function name="weather"><param name="city">Oslo</param></function>',
  },
  {
    id: "nova-xml",
    grammar: "X",
    writtenBy: "Amazon Nova",
    mark: "<__function=NAME>",
    example: "<__function=weather><__parameter=city>Oslo</__parameter></__function>",
  },
  {
    id: "xai-xml",
    grammar: "X",
    writtenBy: "Grok",
    mark: '<xai:function_call name="NAME">',
    example: '<xai:function_call name="weather"><parameter name="city">Oslo</parameter></xai:function_call>',
  },
  {
    id: "tool-name-xml",
    grammar: "X",
    writtenBy: "prompts that ask for elements",
    mark: "<tool_name>",
    example:
      '<tool_calls><tool_call><tool_name>weather</tool_name><parameters>{"city": "Oslo"}</parameters></tool_call></tool_calls>',
  },
  {
    id: "mcp-xml",
    grammar: "X",
    writtenBy: "Cline, Roo, MiroThinker",
    mark: "<use_mcp_tool>",
    example:
      '<use_mcp_tool>\n<server_name>meteo</server_name>\n<tool_name>weather</tool_name>\n<arguments>{"city": "Oslo"}</arguments>\n</use_mcp_tool>',
  },
  {
    id: "cline-xml",
    grammar: "X",
    writtenBy: "Cline, Roo, Kilo",
    mark: "<NAME>",
    example: "<weather>\n<city>Oslo</city>\n</weather>",
  },
  {
    id: "langchain-xml",
    grammar: "X",
    writtenBy: "LangChain's XML agent",
    mark: "<tool>",
    example: "<tool>weather</tool><tool_input>Oslo</tool_input>",
  },
  {
    id: "glm45",
    grammar: "X",
    writtenBy: "GLM-4.5, 4.6, Laguna",
    mark: "<arg_key>",
    example: "<tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>",
  },
  {
    id: "glm47",
    grammar: "X",
    writtenBy: "GLM-4.7 and 5, Ling 3",
    mark: "<arg_key>",
    example: "<tool_call>weather<arg_key>city</arg_key><arg_value>Oslo</arg_value></tool_call>",
  },
  {
    id: "hy-v3",
    grammar: "X",
    writtenBy: "Hunyuan v3",
    mark: "<tool_sep>",
    example:
      "<tool_calls>\n<tool_call>weather<tool_sep>\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>\n</tool_calls>",
  },
  {
    id: "hy-v4",
    grammar: "X",
    writtenBy: "Hunyuan v4",
    mark: "<tool_calls:SUFFIX>",
    example:
      "<tool_calls:a1>\n<tool_call:a1>weather\n<arg_key:a1>city</arg_key:a1>\n<arg_value:a1>Oslo</arg_value:a1>\n</tool_call:a1>\n</tool_calls:a1>",
  },
  {
    id: "k2-horizon",
    grammar: "X",
    writtenBy: "K2 Horizon",
    mark: "<ifm|tool_calls>",
    example:
      "<ifm|tool_calls><ifm|tool_call>weather\n<ifm|arg_key>city</ifm|arg_key><ifm|arg_value>Oslo</ifm|arg_value></ifm|tool_call></ifm|tool_calls>",
  },
  {
    id: "iquest-v2",
    grammar: "X",
    writtenBy: "iQuest Coder V2",
    mark: "<iquestcoder_tool_call>",
    example:
      "<iquestcoder_tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</iquestcoder_tool_call>",
  },
  {
    id: "llama-pythonic",
    grammar: "P",
    writtenBy: "Llama 3.2, Llama 4, ToolACE",
    mark: "<|python_start|>",
    example: '[weather(city="Oslo")]',
  },
  {
    id: "lfm2-pythonic",
    grammar: "P",
    writtenBy: "LFM2, LFM2.5",
    mark: "<|tool_call_start|>",
    example: '<|tool_call_start|>[weather(city="Oslo")]<|tool_call_end|>',
  },
  {
    id: "olmo3-pythonic",
    grammar: "P",
    writtenBy: "OLMo 3",
    mark: "<function_calls>",
    example: '<function_calls>\nweather(city="Oslo")\n</function_calls>',
  },
  { id: "granite-pythonic", grammar: "P", writtenBy: "Granite 3.3, 4 H", mark: "", example: 'weather(city="Oslo")' },
  {
    id: "minicpm3-python",
    grammar: "P",
    writtenBy: "MiniCPM 3 and 4",
    mark: "<|tool_call_start|>",
    example: '<|tool_call_start|>\n```python\nweather(city="Oslo")\n```\n<|tool_call_end|>',
  },
  { id: "raven", grammar: "P", writtenBy: "NexusRaven", mark: "Call:", example: 'Call: weather(city="Oslo")<bot_end>' },
  {
    id: "gorilla",
    grammar: "P",
    writtenBy: "Gorilla OpenFunctions",
    mark: "<<function>>",
    example: '<<function>>weather(city="Oslo")',
  },
  {
    id: "gemini-tool-code",
    grammar: "P",
    writtenBy: "Gemini; Gemma 2 and 3 when prompted",
    mark: "```tool_code",
    example: '```tool_code\nprint(default_api.weather(city="Oslo"))\n```',
  },
  {
    id: "smol-code",
    grammar: "P",
    writtenBy: "smolagents CodeAgent",
    mark: "<code>",
    example: '<code>\nweather(city="Oslo")\n</code>',
  },
  {
    id: "gemma4",
    grammar: "L",
    writtenBy: "Gemma 4",
    mark: "<|tool_call>",
    example: '<|tool_call>call:weather{city:<|"|>Oslo<|"|>}<tool_call|>',
  },
  {
    id: "functiongemma",
    grammar: "L",
    writtenBy: "FunctionGemma",
    mark: "<start_function_call>",
    example: "<start_function_call>call:weather{city:<escape>Oslo<escape>}<end_function_call>",
  },
  {
    id: "gemini-call-text",
    grammar: "L",
    writtenBy: "Gemini 2.5 and 3, Gemma fine-tunes",
    mark: "call:",
    example: 'call:default_api:weather{city: "Oslo"}',
  },
  { id: "cwm-tool", grammar: "T", writtenBy: "CWM", mark: "<tool: LABEL>", example: "<tool: weather>Oslo</tool>" },
  {
    id: "functionary-v2",
    grammar: "J",
    writtenBy: "Functionary 2",
    mark: "<|recipient|>",
    example: '<|recipient|>weather\n<|content|>{"city": "Oslo"}<|stop|>',
  },
  {
    id: "function-eq-json",
    grammar: "J",
    writtenBy: "Functionary 3.1, Llama 3.1 and 4",
    mark: "<function=NAME>",
    example: '<function=weather>{"city": "Oslo"}</function>',
  },
  {
    id: "functionary-v32",
    grammar: "J",
    writtenBy: "Functionary 3.2",
    mark: ">>>",
    example: '>>>weather\n{"city": "Oslo"}',
  },
  { id: "glm4-legacy", grammar: "J", writtenBy: "GLM-4-9B, ChatGLM3", mark: "", example: 'weather\n{"city": "Oslo"}' },
  {
    id: "qwen-agent",
    grammar: "J",
    writtenBy: "Qwen 1.5, Qwen2, Qwen-VL",
    mark: "✿FUNCTION✿:",
    example: '✿FUNCTION✿: weather\n✿ARGS✿: {"city": "Oslo"}',
  },
  {
    id: "doubao-fc",
    grammar: "J",
    writtenBy: "Doubao 1.5",
    mark: "<|FunctionCallBegin|>",
    example: '<|FunctionCallBegin|>[{"name": "weather", "parameters": {"city": "Oslo"}}]<|FunctionCallEnd|>',
  },
  {
    id: "openai-echo",
    grammar: "J",
    writtenBy: "any model that has seen the API's own shape",
    mark: "",
    example: '{"tool_calls": [{"function": {"name": "weather", "arguments": "{\\"city\\": \\"Oslo\\"}"}}]}',
  },
  {
    id: "generic-json",
    grammar: "J",
    writtenBy: "llama.cpp's generic handler; prompts that ask for JSON",
    mark: "",
    example: '```json\n{"tool": "weather", "tool_input": {"city": "Oslo"}}\n```',
  },
  {
    id: "react-text",
    grammar: "T",
    writtenBy: "LangChain, CrewAI, LlamaIndex prompts",
    mark: "Action:",
    example: 'Thought: I need the forecast.\nAction: weather\nAction Input: {"city": "Oslo"}',
  },
  {
    id: "react-json",
    grammar: "J",
    writtenBy: "LangChain's structured chat, smolagents",
    mark: "```json",
    example: '```json\n{"action": "weather", "action_input": {"city": "Oslo"}}\n```',
  },
  {
    id: "dspy-sections",
    grammar: "T",
    writtenBy: "DSPy's ReAct",
    mark: "[[ ## next_tool_name ## ]]",
    example:
      '[[ ## next_thought ## ]]\nI need the forecast.\n\n[[ ## next_tool_name ## ]]\nweather\n\n[[ ## next_tool_args ## ]]\n{"city": "Oslo"}\n\n[[ ## completed ## ]]',
  },
  {
    id: "yaml-block",
    grammar: "T",
    writtenBy: "prompts that ask for YAML",
    mark: "```yaml",
    example: "```yaml\nname: weather\narguments:\n  city: Oslo\n```",
  },
];

export const FAMILY_IDS: ReadonlySet<string> = new Set(FAMILIES.map((family) => family.id));
