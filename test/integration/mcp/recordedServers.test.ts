// Servers' tools in a run that is recorded and replayed: the replay starts nothing and asks nobody, and says where it would have.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { findReplayDifferences } from "../../../src/cli/replay/replayDifferences.ts";
import { formatTranscript, parseTranscript, type Transcript } from "../../../src/transcripts/format/Transcript.ts";
import { evil, listTools, sentTo } from "../../support/mcp/evilGateway.ts";
import { configOf, makePlace, type Place, startServed } from "../../support/mcp/mcpGateway.ts";

let place: Place;
beforeEach(() => {
  place = makePlace();
});
afterEach(() => place.remove());

const SECRET = "s3cr3t-k3y-4711";
const ACT = { name: "evil.act", arguments: { to: `ann ${SECRET}` } };
const CRASH = { name: "evil.crash", arguments: { to: "ann" } };

const components = () => evil(place, "env: { KEY: '${env.KEY}' }");
const options = { env: { KEY: SECRET }, more: "limits: { parallel_tools: 1 }" };
const config = () => configOf(place, components(), options);

/** A run that had a result and lost a server, with what it is expected to come to again. */
async function recorded(): Promise<Transcript> {
  listTools(place, "act", "crash");
  const recordTo = join(place.folder, "recordings");
  const served = await startServed(place, components(), { ...options, recordTo });
  const results = await served.call(ACT, CRASH);
  await served.close();
  expect(results[1]).toContain("ended meanwhile");
  const [file = ""] = readdirSync(recordTo);
  const text = readFileSync(join(recordTo, file), "utf8");
  expect(text).not.toContain(SECRET);
  const { header, ...rest } = parseTranscript(text, file);
  const tool_results = [ACT, CRASH].map(({ name }, at) => ({
    ...{ name, content: results[at]?.replace(SECRET, "[redacted]") ?? "" },
    ...(at > 0 && { is_error: true }),
  }));
  // From here on only the recording knows the server.
  for (const left of ["world", "world.log"]) rmSync(join(place.folder, left));
  return { header: { ...header, expected: { content: "Done.", tool_results, finish_reason: "stop" } }, ...rest };
}

describe("servers of a recorded run", () => {
  it("are written down as what they said of their tools, and each call with what came of it, without secrets", async () => {
    const { servedCalls, shownTools } = await recorded();
    expect(shownTools).toMatchObject([
      {
        server: "evil",
        tools: [
          { agreed: true, listed: { name: "act" } },
          { agreed: true, listed: { name: "crash" } },
        ],
      },
    ]);
    expect(servedCalls).toMatchObject([
      {
        ...{ server: "evil", tool: "act", arguments: { to: "ann [redacted]" } },
        end: { type: "result", result: { content: [{ type: "text", text: 'done: {"to":"ann [redacted]"}' }] } },
      },
      { tool: "crash", end: { type: "failed", message: expect.stringContaining("ended meanwhile") } },
    ]);
  });

  it("are replayed at every chunking, without one being started or asked", async () => {
    const transcript = await recorded();
    const again = parseTranscript(formatTranscript(transcript), "again.jsonl");
    expect(await findReplayDifferences(config(), again)).toEqual([]);
    expect(sentTo(place)).toEqual([]);
  });

  it("that are asked something else are a difference that shows both", async () => {
    const { servedCalls = [], ...rest } = await recorded();
    const other = servedCalls.map((one) => ({ ...one, arguments: { to: "bob" } }));
    const differences = (await findReplayDifferences(config(), { ...rest, servedCalls: other })).join("\n");
    expect(differences).toContain('evil.act {"to":"ann [redacted]"}');
    expect(differences).toContain('evil.act {"to":"bob"}');
    expect(differences).toContain("never asked for: call 0");
  });

  it("that are asked more than was recorded are a difference", async () => {
    const { servedCalls = [], ...rest } = await recorded();
    const differences = await findReplayDifferences(config(), { ...rest, servedCalls: servedCalls.slice(0, 1) });
    expect(differences.join("\n")).toContain("no further call of a server's tool, but one more is made");
  });

  it("that offered other tools are a difference of what the model was shown", async () => {
    const { shownTools = [], ...rest } = await recorded();
    const other = shownTools.map((one) => ({ ...one, tools: one.tools.slice(0, 1) }));
    expect((await findReplayDifferences(config(), { ...rest, shownTools: other })).join("\n")).toContain("evil.crash");
  });

  it("whose tools nobody had agreed to refuse again, in the same words", async () => {
    listTools(place, "act");
    const recordTo = join(place.folder, "refused");
    const served = await startServed(place, components(), { ...options, recordTo, asks: true });
    const body = { model: "hand", no_store: true, messages: [{ role: "user", content: "Go." }] };
    served.next(ACT);
    const post = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    await (await fetch(`${served.gateway.url}/v1/agent`, post)).text();
    await served.close();
    const [file = ""] = readdirSync(recordTo);
    const { header, ...rest } = parseTranscript(readFileSync(join(recordTo, file), "utf8"), file);
    expect(rest.shownTools?.[0]?.tools[0]?.agreed).toBe(false);
    const content =
      "Error: this call was not run: a person would have to agree to it, and nobody is there. Nobody has agreed yet to what the server evil says of this tool.";
    const expected = { content: "Done.", tool_results: [{ name: "evil.act", content, is_error: true }] };
    expect(await findReplayDifferences(config(), { header: { ...header, expected }, ...rest })).toEqual([]);
  });
});
