// What a failure says of routes is told of commands at a terminal: of every failure that a run or a session has.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { replaceWithCommands } from "../../../src/cli/output/commandHints.ts";
import { runOver, runTaken } from "../../../src/runs/runFailures.ts";
import { createRunningError, createUnknownSessionError, runWaits } from "../../../src/sessions/sessionFailures.ts";
import { runPostel } from "../../support/cli/runPostel.ts";
import { approval } from "../../support/interrupts.ts";

const RUN = { owner: "local", id: "run_1-a" };

describe("a failure at a terminal", () => {
  it.each([
    [createUnknownSessionError("s"), "There is no session `s`. `postel sessions` lists them."],
    [runOver(RUN), "The run run_1-a is over; `postel runs run_1-a` tells how it ended."],
    [runTaken(RUN), "The run run_1-a is running; `postel runs run_1-a --events` returns its events."],
    [
      createRunningError(RUN),
      "The session's run `run_1-a` is not over yet; send this again when it is (`postel runs run_1-a`).",
    ],
    [
      runWaits(RUN, [approval()]),
      "The session's run `run_1-a` waits for a person: `abcdefghi` (approval). Decide each with `postel run --resume run_1-a`; a message in free text approves nothing.",
    ],
  ])("names no route: %s", ({ message }, told) => {
    expect(replaceWithCommands(message)).toBe(told);
  });

  it("is as it was where it names none that a command stands for", () => {
    for (const text of ["No.", "POST /v1/mine is not served.", "http://host/v1/models answered with 500"])
      expect(replaceWithCommands(text)).toBe(text);
  });

  it("says which command lists the models, where a model is not served", async () => {
    const folder = mkdtempSync(join(tmpdir(), "postel-commands-"));
    const config = join(folder, "postel.yaml");
    writeFileSync(config, 'upstreams: [{ id: up, base_url: "http://127.0.0.1:9/v1", models: [a] }]\n');
    const { err } = await runPostel(["run", "Go", "--model", "b", "--config", config]);
    rmSync(folder, { recursive: true });
    expect(err).toMatch(/serves the model "b"\. `postel models` lists the models that are served\./);
  });
});
