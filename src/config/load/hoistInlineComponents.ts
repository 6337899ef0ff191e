// Moves components written inline among the tools of agents to `components:` and replaces them by their ids. Checks only the
// ids.
import { isObject, type JsonObject } from "../../core/messages.ts";
import type { YamlFile } from "./readYaml.ts";

type Path = readonly PropertyKey[];

/** Maximum length of a generated id; below the limit of a written one, because a number may follow. */
const MADE_ID_LENGTH = 56;

/**
 * The file as if each inline component were at the end of `components:`. Positions and `placeOf` point to where the component
 * is written. An inline id must be unique. @param builtIn names of built-in tools.
 */
export function hoistInlineComponents(yaml: YamlFile, builtIn: ReadonlySet<string>): YamlFile {
  if (!isObject(yaml.value)) return yaml;
  const { value } = yaml;
  const raw = Array.isArray(value.components) ? value.components : [];
  const hoister = new Lifter(value, builtIn);
  const components = raw.map((one, at) => hoister.agent(one, ["components", String(at)]));
  const agents = list(value.agents)?.map((one, at) => hoister.agent(one, ["agents", String(at)]));
  const { hoisted, faults } = hoister;
  if (hoisted.length === 0) return yaml;
  const isList = value.components === undefined || Array.isArray(value.components);
  const getPlace = (path: Path): Path => {
    const [section, at, ...rest] = path;
    const one = section === "components" ? hoisted[Number(at) - raw.length] : undefined;
    return one ? [...one.place, ...rest] : path;
  };
  const getPath = (place: readonly string[]): readonly string[] => {
    const at = hoisted.findLastIndex((one) => one.place.every((step, depth) => place[depth] === step));
    const found = hoisted[at];
    return found ? ["components", String(raw.length + at), ...place.slice(found.place.length)] : place;
  };
  return {
    ...yaml,
    value: {
      ...value,
      ...(agents && { agents }),
      ...(isList && { components: [...components, ...hoisted.map(({ component }) => component)] }),
    },
    faults: [
      ...yaml.faults,
      ...faults.map(({ path, message }) => ({ offset: yaml.getOffset(path), field: path.join("."), message })),
    ],
    filled: yaml.filled.map((one) => ({ ...one, path: getPath(one.path) })),
    getOffset: (path, key) => yaml.getOffset(getPlace(path), key),
    placeOf: getPlace,
  };
}

interface Lifted {
  readonly place: readonly string[];
  readonly component: unknown;
}

/** Extracts inline components from agents, outer ones before nested ones. */
class Lifter {
  readonly hoisted: Lifted[] = [];
  readonly faults: { readonly path: readonly string[]; readonly message: string }[] = [];
  /** Ids that an inline component must not use. */
  readonly #usedNames: Set<string>;
  /** Every id of the file, of any kind: a generated id must differ from all. */
  readonly #ids: Set<string>;

  constructor(file: JsonObject, builtIn: ReadonlySet<string>) {
    const sections = [file.components, file.agents, file.workflows, [file.workflow]];
    this.#usedNames = new Set([...builtIn, ...sections.flatMap((section) => list(section)?.flatMap(getId) ?? [])]);
    this.#ids = new Set([...builtIn, ...collectIds(file)]);
  }

  /** An agent without tools is left unchanged. */
  agent(agent: unknown, place: readonly string[]): unknown {
    if (!isObject(agent)) return agent;
    const [name = "agent"] = getId(agent);
    const tools = this.#tools(agent.tools, [...place, "tools"], name);
    const actions = list(agent.actions)?.map((action, at) => {
      if (!isObject(action) || !Array.isArray(action.tools)) return action;
      const ofAction = [name, ...getId(action)].join("-");
      return { ...action, tools: this.#tools(action.tools, [...place, "actions", String(at), "tools"], ofAction) };
    });
    return { ...agent, ...(tools && { tools }), ...(actions && { actions }) };
  }

  #tools(tools: unknown, place: readonly string[], owner: string): readonly unknown[] | undefined {
    return list(tools)?.map((entry, at) => {
      if (!isObject(entry) || !isObject(entry.component)) return entry;
      const called = typeof entry.name === "string" ? entry.name : `tool-${at + 1}`;
      return {
        ...entry,
        component: this.#hoist(entry.component, [...place, String(at), "component"], [owner, called]),
      };
    });
  }

  /** @returns its id. */
  #hoist(component: JsonObject, place: readonly string[], names: readonly string[]): string {
    const { id = this.#makeId(names) } = component;
    if (component.type === "model") this.faults.push({ path: [...place, "type"], message: NO_MODEL });
    if (typeof id === "string" && this.#usedNames.has(id))
      this.faults.push({ path: [...place, "id"], message: `expected an id that is not taken; \`${id}\` is` });
    this.#usedNames.add(String(id));
    const at = this.hoisted.push({ place, component }) - 1;
    this.hoisted[at] = { place, component: this.agent({ ...component, id }, place) };
    return String(id);
  }

  #makeId(names: readonly string[]): string {
    const base = names
      .join("-")
      .replace(/[^A-Za-z0-9_-]/g, "-")
      .slice(0, MADE_ID_LENGTH);
    let id = base;
    for (let next = 2; this.#ids.has(id); next += 1) id = `${base}-${next}`;
    this.#ids.add(id);
    return id;
  }
}

const NO_MODEL =
  "expected http-client, shell, mcp, openapi, web-scraper, vector-store, agent or workflow; a model is no tool: write it under `components:`, and its id as the `model` of an agent";

function list(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function getId(value: unknown): readonly string[] {
  return isObject(value) && typeof value.id === "string" ? [value.id] : [];
}

function collectIds(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return [...getId(value), ...Object.values(value).flatMap(collectIds)];
}
