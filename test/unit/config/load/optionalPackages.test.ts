// Packages that a kind of component alone needs: what is said where they are not installed.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { validatePackage } from "../../../../src/config/load/optionalPackages.ts";

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
}

const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
  readFileSync("package.json", "utf8"),
) as Manifest;

let folder = "";
let from = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-packages-"));
  from = pathToFileURL(join(folder, "dist/config/packageFault.js")).href;
});
afterEach(() => rmSync(folder, { recursive: true }));

function install(name: string): void {
  mkdirSync(join(folder, "node_modules", name), { recursive: true });
  writeFileSync(join(folder, "node_modules", name, "package.json"), JSON.stringify({ name, version: "1.0.0" }));
}

describe("a package that is not installed", () => {
  it("is named with the command that installs it, in the range that package.json asks for", () => {
    expect(validatePackage("mcp", ["@modelcontextprotocol/client"], from)).toBe(
      `\`type: mcp\` needs the package @modelcontextprotocol/client; run \`npm i @modelcontextprotocol/client@${peerDependencies["@modelcontextprotocol/client"]}\``,
    );
  });

  it("is one of several in one command, and what is there is not named", () => {
    install("@mozilla/readability");
    expect(validatePackage("web-scraper", ["@mozilla/readability", "linkedom", "turndown"], from)).toBe(
      `\`type: web-scraper\` needs the packages linkedom and turndown; run \`npm i linkedom@${peerDependencies.linkedom} turndown@${peerDependencies.turndown}\``,
    );
  });

  it("is none where all are there, though they export nothing", () => {
    install("sqlite-vec");
    expect(validatePackage("vector-store", ["sqlite-vec"], from)).toBeUndefined();
  });
});

describe("package.json", () => {
  it("asks for each of them as an optional peer, and never for a start of its own", () => {
    const optional = Object.entries(peerDependenciesMeta).flatMap(([name, meta]) => (meta.optional ? [name] : []));
    expect(optional).toEqual(Object.keys(peerDependencies));
    expect(Object.keys(peerDependencies).filter((name) => name in dependencies)).toEqual([]);
  });
});
