// The only import of the MCP client library; loaded with the first server.

export type Sdk = typeof import("@modelcontextprotocol/client");

export async function loadSdk(): Promise<Sdk> {
  return await import("@modelcontextprotocol/client");
}
