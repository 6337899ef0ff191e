// GET and DELETE /v1/agent/memories…: the memories of an owner. Saves and recalls none.
import type { RequestHandler } from "express";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { AppServices } from "../AppServices.ts";
import { resolveOwner } from "../http/authorize.ts";
import { getRequestContext } from "../http/RequestContext.ts";
import { wireMemory, wirePage } from "../messages/recordJson.ts";
import { readMemoryId, readPageRequest, refuseOtherQuery } from "../validation/pathParams.ts";

export function listMemories({ store }: AppServices): RequestHandler {
  return async (request, response) => {
    const page = readPageRequest(request);
    const memories = await store.memories.list(resolveOwner(request, response), { ...page, limit: page.maxPage + 1 });
    const time = ({ createdAt }: { readonly createdAt: number }): number => createdAt;
    await getRequestContext(response).paced.json(wirePage(memories, page.maxPage, { wire: wireMemory, time }));
  };
}

export function deleteMemory({ store }: AppServices): RequestHandler {
  return async (request, response) => {
    refuseOtherQuery(request, []);
    const key = { owner: resolveOwner(request, response), id: readMemoryId(request) };
    if (!(await store.memories.delete(key))) {
      throw new PostelError(
        createFailure("not_found", `There is no memory \`${key.id}\`. GET /v1/agent/memories lists them.`),
      );
    }
    await getRequestContext(response).paced.json({ id: key.id, object: "agent.memory", deleted: true });
  };
}
