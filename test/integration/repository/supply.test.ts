// What is shipped beside our own code: the packages, the image and how it is run. Reads files only; nothing is built here.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { parse } from "yaml";

interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  /** Brought by what develops the gateway, and something that runs could use it: left out of the image all the same. */
  readonly devOptional?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

type Ranges = Readonly<Record<string, string>>;

const { dependencies, peerDependencies } = JSON.parse(read("package.json")) as Record<string, Ranges>;
const direct = Object.keys(dependencies ?? {});
/** What a single kind of component needs. */
const peers = Object.keys(peerDependencies ?? {});
const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, Locked> };
const locked = Object.entries(packages).filter(([path]) => path !== "");
const runtime = locked.filter(([, { dev, devOptional }]) => !dev && !devOptional);
const inImage = [...withTheirs([...direct, ...peers])].map((path) => [path, packages[path] as Locked] as const);

/** The places in the lock of packages and of all that they bring, for every platform. */
function withTheirs(names: readonly string[], from = "", found = new Set<string>()): ReadonlySet<string> {
  for (const name of names) {
    const path = placeOf(name, from);
    if (path === undefined || found.has(path)) continue;
    found.add(path);
    const {
      dependencies: own,
      optionalDependencies: forSome,
      peerDependencies: wanted,
      peerDependenciesMeta,
    } = packages[path] as Locked;
    const demanded = Object.keys(wanted ?? {}).filter((one) => !peerDependenciesMeta?.[one]?.optional);
    withTheirs([...Object.keys({ ...own, ...forSome }), ...demanded], path, found);
  }
  return found;
}

/** As Node looks for it: in the folders above, the nearest first. */
function placeOf(name: string, from: string): string | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/node_modules/")))) {
    const path = `${at}${at && "/"}node_modules/${name}`;
    if (packages[path]) return path;
    if (at === "") return undefined;
  }
}

function read(file: string): string {
  return readFileSync(file, "utf8");
}

describe("the packages that run", () => {
  const [, section = ""] = read("docs/guides/production.md").split("### What is in the image");
  const rows = [...(section.split("\n## ")[0] ?? "").matchAll(/^\| `([^`]+)` \| ([A-Z][\w. -]+) \| (\S.*) \|$/gm)];
  const table = new Map(rows.map(([, name = "", licence]) => [name, licence]));

  it("are few, and each that we ask for is listed with its licence and why", () => {
    expect(direct.length).toBeLessThanOrEqual(18);
    const licences = [...direct, ...peers].map((name) => [name, packages[`node_modules/${name}`]?.license]);
    expect(Object.fromEntries(table)).toEqual(Object.fromEntries(licences));
    const document = read("docs/guides/production.md");
    expect(document).toContain(`${direct.length} packages, ${runtime.length} with those`);
    expect(document).toContain(`${peers.length} packages more, ${inImage.length - runtime.length} with those`);
  });

  it("run nothing when they are installed", () => {
    expect(inImage.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
  });

  it("are held to the bytes that were locked", () => {
    expect(inImage.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? ""))).toEqual([]);
    // Of tools for other platforms the registry that wrote the lock gave none.
    expect(locked.filter(([, { integrity, dev, optional }]) => !integrity && !(dev && optional))).toEqual([]);
  });
});

describe("the image", () => {
  const stages = read("Dockerfile").split(/^FROM /m);
  const [head = ""] = stages;
  const last = stages.at(-1) ?? "";

  it("is built on one image, by its digest", () => {
    expect(head).toMatch(/^ARG NODE_IMAGE=node:24\S*@sha256:[0-9a-f]{64}$/m);
    expect(stages.slice(1).map((stage) => stage.split(/\s/)[0])).toEqual(stages.slice(1).map(() => `\${NODE_IMAGE}`));
  });

  it("installs what is locked and runs no script of a package", () => {
    const installs = [...read("Dockerfile").matchAll(/^RUN npm (?!run).*$/gm)].map(([line]) => line);
    expect(installs).toHaveLength(2);
    for (const line of installs) expect(line).toMatch(/^RUN npm ci .*--ignore-scripts/);
    // What nothing needs that runs goes again, whatever brought it; of what stays no version is chosen anew.
    expect(read("Dockerfile")).toMatch(
      /^RUN node scripts\/packagesOfImage\.ts && npm prune --offline .*--ignore-scripts/m,
    );
    expect(last).toContain("COPY --from=dependencies /app/node_modules ./node_modules");
  });

  it("holds no package manager and does not run as root", () => {
    const removed = /^RUN rm -rf ((?:.*\\\n)*.*)$/m.exec(last)?.[1] ?? "";
    for (const path of [
      "/usr/local/lib/node_modules",
      "/usr/local/bin/npm",
      "/usr/local/bin/corepack",
      "/opt/yarn",
      "/usr/bin/apt",
    ])
      expect(removed).toContain(path);
    expect(last.indexOf("USER node")).toBeGreaterThan(last.indexOf("RUN rm"));
    expect(last.slice(last.indexOf("USER node"))).not.toMatch(/^(?:RUN|USER root|COPY|ADD)/m);
  });

  it("lets no text become code", () => {
    expect(last).toMatch(/^ENTRYPOINT \["node", "--disallow-code-generation-from-strings", .*"dist\/main\.js"\]$/m);
  });

  it("is run without rights, on a file system that cannot be written, for this machine alone", () => {
    const { services } = parse(read("compose.yaml")) as { services: { postel: Record<string, unknown> } };
    expect(services.postel).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      ports: ["127.0.0.1:7678:7678"],
    });
    expect(services.postel).not.toHaveProperty("privileged");
  });
});
