// The documents, held against the code: names exist, commands exist, links lead somewhere, tables are complete.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { parse } from "yaml";
import { withContractTable } from "../../../scripts/generateContractTable.ts";
import { withFormatsTable } from "../../../scripts/generateFormatsTable.ts";
import { FAILURE_CODES } from "../../../src/core/failures.ts";
import { OUTCOMES } from "../../../src/core/runs/outcomes.ts";
import { FORMATS } from "../../../src/formats/specs/lookupTables.ts";
import { QUIRKS } from "../../../src/models/request/quirks.ts";
import { readSources } from "../../support/readSources.ts";

const ROOT = join(import.meta.dirname, "../../..");
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const DOCUMENTS = [
  "AGENTS.md",
  "README.md",
  "SECURITY.md",
  ".github/ISSUE_TEMPLATE/bug.md",
  ".github/ISSUE_TEMPLATE/model.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => `docs/${file}`),
].sort();
const SOURCES = [...readSources(join(ROOT, "src"))];
const SOURCE_TEXT = SOURCES.map(([, text]) => text).join("\n");

describe("README.md", () => {
  it("has at most 120 lines", () => {
    expect(read("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(120);
  });

  it("has the figures of docs/benchmarks.md", () => {
    const figures = (file: string) => read(file).match(/^.*<!-- figure: .*$/gm);
    expect(figures("README.md")?.length).toBe(6);
    expect(figures("docs/benchmarks.md")).toEqual(figures("README.md"));
  });
});

describe("AGENTS.md", () => {
  it("has at most 60 lines", () => {
    expect(read("AGENTS.md").trimEnd().split("\n").length).toBeLessThanOrEqual(60);
  });
});

describe("docs", () => {
  const pages = DOCUMENTS.filter((file) => file.startsWith("docs/") && !/decisions\/\d/.test(file));

  it("has a line for each page in docs/index.md", () => {
    const linked = [...read("docs/index.md").matchAll(/\]\(([^)#\s]+)/g)].map(([, link = ""]) => join("docs", link));
    expect(pages.filter((page) => page !== "docs/index.md" && !linked.includes(page))).toEqual([]);
  });

  it("names only source files that exist", () => {
    const files = ["src", "test", "bench", "scripts"].flatMap((folder) =>
      [...readSources(join(ROOT, folder)).keys()].map((file) => `/${folder}/${file}`),
    );
    const named = pages.flatMap((page) => codeSpans(read(page)).filter((span) => /^[\w./-]+\.ts$/.test(span)));
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter((name) => !files.some((file) => file.endsWith(`/${name}`)))).toEqual([]);
  });

  it("leads from the end of each page to the next one", () => {
    const last = (file: string) => read(file).trimEnd().split("\n").at(-1) ?? "";
    expect(pages.filter((page) => !/^Next: .*\]\(/.test(last(page)))).toEqual([]);
  });
});

describe("docs/reference/recorded-models.md", () => {
  it("names every recorded model and says how many there are", () => {
    const section = read("docs/reference/recorded-models.md");
    const models = readdirSync(join(ROOT, "fixtures/transcripts")).map((file) => file.replace(/\.jsonl$/, ""));
    const named = codeSpans(section).filter((span) => /^[a-z]+(?:-[a-z]+)+$/.test(span));
    expect(named.sort()).toEqual(models.sort());
    expect(section).toContain(`There are ${models.length}.`);
  });
});

describe("docs/internals/architecture.md", () => {
  const spans = codeSpans(read("docs/internals/architecture.md"));

  it("names only files and folders that exist", () => {
    const paths = spans.filter((span) => /^[\w./-]+(?:\.\w+|\/)$/.test(span) && !/^\/|\.\w+\.|^\w+\.\w+$/.test(span));
    expect(paths.length).toBeGreaterThan(30);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)) && !existsSync(join(ROOT, "src", path)))).toEqual([]);
  });

  it("names only things that the sources know", () => {
    const names = spans.filter((span) => /^[A-Za-z]\w*(?:\.[a-z]\w*)?$/.test(span) && !span.endsWith(".ts"));
    expect(names.length).toBeGreaterThan(60);
    const unknown = names.filter((name) =>
      name.split(".").some((part) => !new RegExp(`\\b${part}\\b`).test(SOURCE_TEXT)),
    );
    expect(unknown).toEqual([]);
  });
});

describe("src/formats/README.md", () => {
  const note = read("src/formats/README.md");

  it("names only files that exist", () => {
    const named = codeSpans(note).filter((span) => /^[\w/]+(?:\.test)?\.ts$/.test(span));
    const places = ["src/formats", ""];
    expect(named.filter((name) => !places.some((place) => existsSync(join(ROOT, place, name))))).toEqual([]);
  });

  it("names every folder of the formats", () => {
    const folders = readdirSync(join(ROOT, "src/formats"), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    expect(folders.map(({ name }) => name).filter((name) => !note.includes(`\`${name}/\``))).toEqual([]);
  });
});

describe("docs/reference/formats.md", () => {
  it("has the table that the data and the parser give (else: npx node scripts/generateFormatsTable.ts)", () => {
    const document = read("docs/reference/formats.md");
    expect(document).toBe(withFormatsTable(document));
  });

  it("shows a call in the example of every family, for the README counts them all as read", () => {
    const unread = withFormatsTable(read("docs/reference/formats.md"))
      .split("\n")
      .filter((line) => line.includes("| not read |"));
    expect(unread.map((line) => line.split("`")[1])).toEqual([]);
  });

  it("says how many families there are, as do the README and the change log", () => {
    for (const file of ["README.md", "CHANGELOG.md"]) expect(read(file)).toMatch(new RegExp(`\\b${FORMATS.length} `));
  });
});

describe("docs/reference/http-api.md", () => {
  it("has the table that the cells of the contract state (else: npx node scripts/generateContractTable.ts)", () => {
    const document = read("docs/reference/http-api.md");
    expect(document).toBe(withContractTable(document));
  });
});

describe("how a run ends, in docs/reference/http-api.md", () => {
  const section = /### How a run ends\n([\s\S]*?)\n### /.exec(read("docs/reference/http-api.md"))?.[1] ?? "";
  const rows = section
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .slice(1);

  it("has a row for each outcome, with its finish reason, its error and its exit code", () => {
    const cells = rows.map((row) => row.split("|").map((cell) => cell.trim()));
    const told = Object.fromEntries(
      cells.map(([, outcome = "", , reason = "", error = "", code]) => {
        const finishReason = /^`(\w+)`$/.exec(reason)?.[1];
        const row = { finishReason, error: error.replaceAll("`", "") || undefined, exitCode: Number(code) };
        return [outcome.replaceAll("`", ""), row];
      }),
    );
    expect(told).toEqual(OUTCOMES);
  });
});

describe("docs/guides/production.md", () => {
  const spans = new Set(codeSpans(read("docs/guides/production.md")));

  it("explains every failure code with its status", () => {
    const rows = read("docs/guides/production.md")
      .split("\n")
      .filter((line) => line.startsWith("| `"));
    for (const [code, { status }] of Object.entries(FAILURE_CODES)) {
      const row = rows.find((line) => line.split(" | ")[0]?.includes(`\`${code}\``));
      expect(`${code}: ${row}`).toContain(String(status));
    }
  });

  it("explains every issue code", () => {
    const codes = [...read("src/core/events/issues.ts").matchAll(/^ {2}\| "([a-z-]+)"/gm)].map(
      ([, code]) => code ?? "",
    );
    expect(codes.length).toBeGreaterThan(5);
    expect(codes.filter((code) => !spans.has(code))).toEqual([]);
  });

  it("names only repairs that the sources make", () => {
    const section = /## Repairs\n([\s\S]*?)\n## /.exec(read("docs/guides/production.md"))?.[1] ?? "";
    const codes = codeSpans(section).filter((span) => /^[a-z]+(?:-[a-z]+)*$/.test(span) && span !== "null");
    expect(codes.length).toBeGreaterThan(30);
    expect(codes.filter((code) => !SOURCE_TEXT.includes(`"${code}"`))).toEqual([]);
  });
});

describe("docs/reference/configuration.md and profiles.md", () => {
  const text = read("docs/reference/configuration.md") + read("docs/reference/profiles.md");
  const spans = new Set(codeSpans(text).flatMap((span) => span.split(".")));

  it("explains every key of both shipped files", () => {
    const keys = [...keysOf(parse(read("config/postel.yaml"))), ...keysOf(parse(read("config/models.yaml")))];
    expect(keys.length).toBeGreaterThan(40);
    expect([...new Set(keys)].filter((key) => !spans.has(key))).toEqual([]);
  });

  it("explains every key that the schemas take", () => {
    const schemas = [
      "gatewaySchema",
      "sections/server",
      "workflows/workflows",
      "components/components",
      "models/modelProfiles",
    ]
      .map((name) => read(`src/config/${name}.ts`))
      .join("\n");
    const keys = [...schemas.matchAll(/^ {4,8}([a-z_]+): (?:z|[a-z][A-Za-z]*)[.(]/gm)].map(([, key]) => key ?? "");
    expect(keys.length).toBeGreaterThan(40);
    expect([...new Set(keys)].filter((key) => !spans.has(key))).toEqual([]);
  });

  it("names every quirk", () => {
    expect([...QUIRKS.keys()].filter((quirk) => !spans.has(quirk))).toEqual([]);
  });
});

describe("docs/internals/decisions", () => {
  const DECISIONS = readdirSync(join(ROOT, "docs/internals/decisions")).filter((file) => file !== "README.md");

  it("has a line for each decision in its index, with a status", () => {
    const rows = read("docs/internals/decisions/README.md").matchAll(
      /^\| \[\d{4}\]\((\S+)\) \| \S.* \| (?:in force|amended by|superseded by).* \|$/gm,
    );
    expect([...rows].map(([, file]) => file).sort()).toEqual([...DECISIONS].sort());
  });

  it("gives every decision a number of its own, which its title says", () => {
    const numbers = DECISIONS.map((file) => file.slice(0, 4));
    expect(new Set(numbers).size).toBe(DECISIONS.length);
    for (const file of DECISIONS)
      expect(read(`docs/internals/decisions/${file}`)).toMatch(new RegExp(`^# ${file.slice(0, 4)} `));
  });
});

describe("compose.yaml", () => {
  const { postel } = (parse(read("compose.yaml")) as { services: Record<string, Service> }).services;

  it("publishes on loopback, and says so to a gateway that would refuse to be open without keys", () => {
    expect(postel?.ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:/)]);
    expect(postel?.environment).toEqual({ POSTEL_ALLOW_UNAUTHENTICATED: "true" });
  });

  it("shows a command that reaches a server on the host, by the name that it gives it", () => {
    const [, host] =
      /^ *# command: \["serve", .*"--upstream", "http:\/\/([a-z.]+):\d+\/v1"\]$/m.exec(read("compose.yaml")) ?? [];
    expect(postel?.extra_hosts).toEqual([`${host}:host-gateway`]);
  });
});

interface Service {
  readonly ports: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly extra_hosts: readonly string[];
}

describe.each(DOCUMENTS)("%s", (file) => {
  it("holds no mark of a merge that was left open", () => {
    expect(
      read(file)
        .split("\n")
        .filter((line) => /^(<{7}|={7}|>{7})( |$)/.test(line)),
    ).toEqual([]);
  });

  const text = read(file);

  it("links only to what exists", () => {
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link ?? "");
    const broken = links.filter((link) => !/^https?:/.test(link) && !leadsSomewhere(file, link));
    expect(broken).toEqual([]);
  });

  it("shows only npm scripts and postel commands that exist", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const run = [...text.matchAll(/\bnpm (?:run (?:-s )?([\w:-]+)|(start|test)\b)/g)].map(([, a, b]) => a ?? b ?? "");
    expect(run.filter((script) => !scripts[script])).toEqual([]);
    const commands = [...text.matchAll(/(?:`|-- |\$ )postel ([a-z]+)|postel -- ([a-z]+)/g)].map(([, a, b]) => a ?? b);
    expect(commands.filter((command) => !SOURCE_TEXT.includes(`command("${command}")`))).toEqual([]);
  });

  it("names only files of the repository that exist", () => {
    const paths = codeSpans(text).filter((span) => /^(?:src|test|config|fixtures|docs|scripts)\/[\w./-]+$/.test(span));
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

/** Texts between single backticks, outside of code blocks. */
function codeSpans(text: string): readonly string[] {
  const prose = text.replace(/^( *)```[\s\S]*?^\1```/gm, "");
  return [...prose.matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map(([, span]) => span ?? "");
}

function leadsSomewhere(from: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const file = path === "" ? from : join(dirname(from), path);
  if (!existsSync(join(ROOT, file))) return false;
  return anchor === undefined || headings(read(file)).includes(anchor);
}

function headings(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

function keysOf(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(keysOf);
  return Object.entries(value).flatMap(([key, item]) => [key, ...keysOf(item)]);
}
