// Paths under attack, row by row of the hostile payloads, through a gateway that is started from a file: nothing outside of the folder is read or written.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { idsOf, payload } from "../../support/adversarial/payloads.ts";
import { joinedRead, joinedWrite } from "../../support/attacks/naiveTwins.ts";
import { FILES, makePlace, type Place, type Shell, startShell } from "../../support/shell/shellGateway.ts";

const SECRET = "outside: nobody may read this";

let place: Place;
let shell: Shell;
beforeAll(async () => {
  place = makePlace();
  // Where the rows would lead: two folders up, one folder up, and through a link.
  mkdirSync(join(place.folder, "outside"));
  writeFileSync(join(place.folder, "outside/canary"), SECRET);
  writeFileSync(join(place.folder, "outside/escape"), SECRET);
  writeFileSync(join(place.folder, "inner/outside"), SECRET);
  mkdirSync(join(place.workspace, "a"));
  mkdirSync(join(place.workspace, ".git/hooks"), { recursive: true });
  symlinkSync(join(place.folder, "outside"), join(place.workspace, "link"));
  symlinkSync(join(place.folder, "outside/new"), join(place.workspace, "dangling"));
  symlinkSync(join(place.folder, "outside/canary"), join(place.workspace, "canary"));
  shell = await startShell(place, FILES);
});
afterAll(async () => {
  await shell.close();
  place.remove();
});

/** Everything there is, with what it holds. */
function state(): readonly string[] {
  const names = readdirSync(place.folder, { recursive: true, withFileTypes: true });
  return names
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return entry.isFile() ? `${path} ${readFileSync(path, "utf8")}` : path;
    })
    .sort();
}

async function attempt(path: string): Promise<readonly string[]> {
  return await shell.call(
    { name: "file-reader", arguments: { file_path: path } },
    { name: "file-writer", arguments: { file_path: path, content: "written" } },
  );
}

const armed = (id: string): string => payload(id).replaceAll("@@CANARY@@", "canary");

describe("a path", () => {
  it.each(idsOf("path_traversal"))("that leads elsewhere is neither read nor written: %s", async (id) => {
    const before = state();
    for (const result of await attempt(armed(id))) {
      expect(result).toMatch(/^Error: .*(?:must be a relative path|leads out)/);
      expect(result).not.toContain(SECRET);
    }
    expect(state()).toEqual(before);
  });

  it.each([
    ["/etc/passwd"],
    ["//etc/passwd"],
    ["canary"],
    ["dangling"],
    ["link"],
    ["link/new/deeper"],
    ["a/./b"],
    ["a//b"],
    ["a/"],
    ["..\\outside"],
    ["a\u0000b"],
    ["a\u202eb"],
    [" "],
    ["~root/.ssh/id"],
    ["\uff0e\uff0e/outside"],
    ["\u2025/outside"],
  ])("of another kind is neither read nor written: %j", async (path) => {
    const before = state();
    for (const result of await attempt(path)) expect(result).toMatch(/^Error: /);
    expect(state()).toEqual(before);
  });

  it("that stays is read and written, through links that stay too", async () => {
    symlinkSync(join(place.workspace, "a"), join(place.workspace, "within"));
    expect((await attempt("within/new file é.txt"))[1]).toBe("0");
    expect(readFileSync(join(place.workspace, "a/new file é.txt"), "utf8")).toBe("written");
    expect((await attempt("a/new file é.txt"))[0]).toBe("written");
  });

  it("gets out where it is only joined to its folder: the rows show something", () => {
    const read = idsOf("path_traversal").filter((id) => joinedRead(place.workspace, armed(id)).includes(SECRET));
    expect(read).toEqual(["PT-001", "PT-006", "PT-014"]);
    joinedWrite(place.workspace, armed("PT-012"), "written");
    joinedWrite(place.workspace, armed("PT-014"), "written");
    expect(readFileSync(join(place.workspace, ".git/hooks/post-commit"), "utf8")).toBe("written");
    expect(readFileSync(join(place.folder, "outside/escape"), "utf8")).toBe("written");
  });
});
