// Programs as tools, driven from outside: a YAML file, the gateway over HTTP, real child processes.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { FILES, makePlace, type Place, type Shell, startShell } from "./shellGateway.ts";

let place: Place;
let shell: Shell | undefined;
beforeEach(() => {
  place = makePlace();
});
afterEach(async () => {
  await shell?.close();
  shell = undefined;
  place.remove();
});

const TRICKY = "a 'quote' \"and\" $(touch x) `touch y`\nline\t\\ %s ; é 漢 🙂";

describe("the tools of a folder", () => {
  it("write whatever the content holds, and read it back", async () => {
    shell = await startShell(place, FILES);
    const write = { name: "file-writer", arguments: { file_path: "notes.txt", content: TRICKY } };
    expect(await shell.call(write)).toEqual(["0"]);
    expect(readFileSync(join(place.workspace, "notes.txt"), "utf8")).toBe(TRICKY);
    expect(await shell.call({ name: "file-reader", arguments: { file_path: "notes.txt" } })).toEqual([TRICKY]);
    expect(existsSync(join(place.workspace, "x"))).toBe(false);
  });
});
