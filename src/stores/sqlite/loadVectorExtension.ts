// Loads the vector extension into one connection, which accepts no other extension afterwards.
import type { DatabaseSync } from "node:sqlite";
import { createFailure, PostelError } from "../../core/failures.ts";

/** @throws PostelError `invalid_configuration` if it does not exist for this machine, or does not load. */
export async function loadVectorExtension(connection: DatabaseSync): Promise<void> {
  try {
    const { getLoadablePath } = await import("sqlite-vec");
    connection.loadExtension(getLoadablePath());
  } catch (error) {
    const message = `The package sqlite-vec cannot be loaded for ${process.platform} on ${process.arch} (${(error as Error).message}). \`type: vector-store\` needs it: install it anew, or leave the component out.`;
    throw new PostelError(createFailure("invalid_configuration", message), { cause: error });
  } finally {
    connection.enableLoadExtension(false);
  }
}
