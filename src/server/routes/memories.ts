// GET and DELETE /v1/agent/memories…: the lasting facts of an owner. Saves and recalls none.
import type { RequestHandler } from "express";
import { failure, PostelError } from "../../core/failures.ts";
import type { AppServices } from "../AppServices.ts";
import { exchangeOf } from "../Exchange.ts";
import { memoryIdOf, pageOf, refuseOtherQuery } from "../pathIds.ts";
import { ownerOf } from "../rights.ts";
import { wireMemory, wirePage } from "../wireRecords.ts";

export function listMemories({ store }: AppServices): RequestHandler {
  return async (request, response) => {
    const page = pageOf(request);
    const memories = await store.memories.list(ownerOf(request, response), { ...page, most: page.most + 1 });
    const time = ({ createdAt }: { readonly createdAt: number }): number => createdAt;
    await exchangeOf(response).paced.json(wirePage(memories, page.most, { wire: wireMemory, time }));
  };
}

export function deleteMemory({ store }: AppServices): RequestHandler {
  return async (request, response) => {
    refuseOtherQuery(request, []);
    const key = { owner: ownerOf(request, response), id: memoryIdOf(request) };
    if (!(await store.memories.delete(key))) {
      throw new PostelError(
        failure("not_found", `There is no memory \`${key.id}\`. GET /v1/agent/memories lists them.`),
      );
    }
    await exchangeOf(response).paced.json({ id: key.id, object: "agent.memory", deleted: true });
  };
}
