// What is asked again, and what is not, over a scripted model.
import { describe, expect, it } from "@jest/globals";
import type { ModelEvent } from "../../../../src/core/events/events.ts";
import { createFailure } from "../../../../src/core/failures.ts";
import { AdaptingClient } from "../../../../src/models/adaptation/AdaptingClient.ts";
import type { ModelRequest } from "../../../../src/models/ModelClient.ts";
import { drain, modelRequest, streamOf } from "../../../support/modelRequest.ts";
import { ScriptedModel, says } from "../../../support/ScriptedModel.ts";

const never = new AbortController().signal;
const sampling = { temperature: 0.1, seed: 1 };

function refuses(refused: string): ModelEvent {
  return { type: "failed", failure: createFailure("upstream_refused", `no ${refused}`, { refused }) };
}

function watching() {
  const asked: [string, readonly string[]][] = [];
  const confirm = ({ capabilities }: ModelRequest, refused: string) => void asked.push([refused, capabilities.quirks]);
  return { asked, probe: { confirm } };
}

describe("a refused request", () => {
  it("is asked again without what was refused, each part once, and each is probed as it was refused", async () => {
    const { asked, probe } = watching();
    const model = new ScriptedModel([refuses("temperature")], [refuses("seed")], [refuses("temperature")]);
    const all = await drain(streamOf(new AdaptingClient(model, probe), modelRequest({ sampling }), never));
    expect(all).toEqual([refuses("temperature")]);
    model.verify();
    expect(asked).toEqual([
      ["temperature", []],
      ["seed", ["no-temperature"]],
    ]);
  });

  it("says in its first event what was mended", async () => {
    const model = new ScriptedModel([refuses("temperature")], says("Hi"));
    const [opened] = await drain(streamOf(new AdaptingClient(model), modelRequest({ sampling }), never));
    expect(opened).toEqual({ type: "opened", retries: 1, mended: ["temperature"] });
  });

  it("that had begun to be answered is not asked again", async () => {
    const { asked, probe } = watching();
    const model = new ScriptedModel([{ type: "opened", retries: 0 }, { type: "text", text: "Hi" }, refuses("seed")]);
    const all = await drain(streamOf(new AdaptingClient(model, probe), modelRequest({ sampling }), never));
    expect(all.at(-1)).toEqual(refuses("seed"));
    expect(asked).toEqual([]);
  });

  it("teaches the further requests of its run, and no other run of the same model", async () => {
    const model = new ScriptedModel([refuses("seed")], says("a"), says("b"), says("c"));
    const client = new AdaptingClient(model);
    const request = modelRequest({ sampling });
    await drain(streamOf(client, request, never));
    await drain(streamOf(client, { ...request, capabilities: { ...request.capabilities, tools: "text" } }, never));
    await drain(streamOf(client, { ...request, capabilities: { ...request.capabilities, source: {} } }, never));
    expect(model.requests.map(({ capabilities }) => capabilities.quirks)).toEqual([[], ["no-seed"], ["no-seed"], []]);
  });
});
