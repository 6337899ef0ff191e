// An upstream that compresses its answers, asked through the whole gateway.
import { createGzip, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "@jest/globals";
import { delta, events, FakeUpstream } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

let upstream: FakeUpstream | undefined;
let gateway: RunningGateway | undefined;

afterEach(async () => {
  await gateway?.close();
  await upstream?.close();
  gateway = undefined;
  upstream = undefined;
});

async function start(answer: Parameters<typeof FakeUpstream.start>[0]): Promise<RunningGateway> {
  upstream = await FakeUpstream.start(answer);
  gateway = await startGateway({ config: configFor(upstream.baseUrl) });
  return gateway;
}

const ASK = { model: "m", messages: [{ role: "user" as const, content: "Hi" }] };

describe("an upstream that answers gzip", () => {
  it.each([
    ["a stream", "text/event-stream", events(delta({ content: "Hello " }), delta({ content: "there." }, "stop"))],
    [
      "a document",
      "application/json",
      JSON.stringify({ choices: [{ message: { content: "Hello there." }, finish_reason: "stop" }] }),
    ],
  ])("is read like any other: %s", async (_, type, body) => {
    const { client } = await start((_request, response) => {
      response.writeHead(200, { "content-type": type, "content-encoding": "gzip" }).end(gzipSync(body));
    });
    const answer = await client().chat.completions.create(ASK);
    expect(answer.choices[0]?.message.content).toBe("Hello there.");
  });

  it("reaches a client that streams as it comes, not when it is over", async () => {
    let finish = (): void => {};
    const { client } = await start((_request, response) => {
      const coded = createGzip();
      coded.pipe(response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" }));
      coded.write(`data: ${JSON.stringify(delta({ content: "Hello" }))}\n\n`);
      coded.flush();
      finish = () => coded.end(events(delta({ content: " there." }, "stop")));
    });
    const said: string[] = [];
    for await (const chunk of await client().chat.completions.create({ ...ASK, stream: true })) {
      const text = chunk.choices[0]?.delta.content;
      if (text) said.push(text);
      if (said.length === 1) finish();
    }
    expect(said).toEqual(["Hello", " there."]);
  });

  it("and whose refusal is compressed too is quoted in its own words", async () => {
    const { client } = await start((_request, response) => {
      const body = gzipSync(JSON.stringify({ error: { message: "The port is closed." } }));
      response.writeHead(400, { "content-type": "application/json", "content-encoding": "gzip" }).end(body);
    });
    await expect(client().chat.completions.create(ASK)).rejects.toThrow(/The port is closed\./);
  });

  it("that is a bomb is an error once its plain bytes are too many", async () => {
    const { client } = await start((_request, response) => {
      const bomb = gzipSync(`{"choices": "${"x".repeat(16 * 1024 * 1024)}"}`, { level: 1 });
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(bomb);
    });
    await expect(client().chat.completions.create(ASK)).rejects.toMatchObject({
      status: 502,
      code: "upstream_answer_too_large",
      message: expect.stringMatching(/more than 8388608 characters/),
    });
  });

  it("in a coding that cannot be read is an error that names it", async () => {
    const { client } = await start((_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "zstd" }).end("x");
    });
    await expect(client().chat.completions.create(ASK)).rejects.toMatchObject({
      code: "upstream_protocol_error",
      message: expect.stringMatching(/"zstd"/),
    });
  });
});
