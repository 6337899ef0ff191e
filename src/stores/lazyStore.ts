// Opens a store at its first use, so that a gateway that stores nothing does not load it.
import type { Store } from "../core/stores/Store.ts";

type Part = Exclude<keyof Store, "close" | "owners" | "tryToWrite">;

/** @param open called once, at the first access */
export function createLazyStore(open: () => Promise<Store>): Store {
  let opened: Promise<Store> | undefined;
  const store = (): Promise<Store> => {
    opened ??= open();
    return opened;
  };
  return {
    sessions: latePart(store, "sessions"),
    runs: latePart(store, "runs"),
    interrupts: latePart(store, "interrupts"),
    memories: latePart(store, "memories"),
    vectors: latePart(store, "vectors"),
    definitions: latePart(store, "definitions"),
    evidence: latePart(store, "evidence"),
    notices: latePart(store, "notices"),
    audit: latePart(store, "audit"),
    toolStatistics: latePart(store, "toolStatistics"),
    owners: {
      async *export(owner) {
        yield* (await store()).owners.export(owner);
      },
      erase: async (owner) => (await store()).owners.erase(owner),
    },
    tryToWrite: async () => (await opened)?.tryToWrite(),
    close: async () => (await opened)?.close(),
  };
}

type Method = (...given: unknown[]) => Promise<unknown>;

/** All methods of a store part return promises, so each can wait for the store first. */
function latePart<P extends Part>(store: () => Promise<Store>, part: P): Store[P] {
  const call = async (name: string, given: readonly unknown[]): Promise<unknown> => {
    const methods = (await store())[part] as unknown as Readonly<Record<string, Method>>;
    return methods[name]?.(...given);
  };
  const late = new Proxy<Record<string, Method>>(
    {},
    {
      get: (_, name) =>
        typeof name === "string" && name !== "then" ? (...given: unknown[]) => call(name, given) : undefined,
    },
  );
  return late as unknown as Store[P];
}
