// The one file that imports the MCP client, with the first server that is spoken with. Speaks with none.

export type Sdk = typeof import("@modelcontextprotocol/client");

export async function loadSdk(): Promise<Sdk> {
  return await import("@modelcontextprotocol/client");
}
