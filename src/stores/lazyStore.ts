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
    sessions: createLazyPart(store, "sessions"),
    runs: createLazyPart(store, "runs"),
    interrupts: createLazyPart(store, "interrupts"),
    memories: createLazyPart(store, "memories"),
    vectors: createLazyPart(store, "vectors"),
    definitions: createLazyPart(store, "definitions"),
    evidence: createLazyPart(store, "evidence"),
    notices: createLazyPart(store, "notices"),
    audit: createLazyPart(store, "audit"),
    toolStatistics: createLazyPart(store, "toolStatistics"),
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
function createLazyPart<P extends Part>(store: () => Promise<Store>, part: P): Store[P] {
  const call = async (name: string, args: readonly unknown[]): Promise<unknown> => {
    const methods = (await store())[part] as unknown as Readonly<Record<string, Method>>;
    return methods[name]?.(...args);
  };
  const proxy = new Proxy<Record<string, Method>>(
    {},
    {
      get: (_, name) =>
        typeof name === "string" && name !== "then" ? (...args: unknown[]) => call(name, args) : undefined,
    },
  );
  return proxy as unknown as Store[P];
}
