// A library as a server of tools over standard streams: finds papers by a word, and gives one.
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const PAPERS = [
  {
    id: "p1",
    title: "Tides of the North Sea",
    text: "The sea comes in twice a day, and at spring tide it comes highest.",
  },
  { id: "p2", title: "On Bees", text: "A hive has one queen." },
] as const;

const server = new McpServer({ name: "library", version: "1.0.0" });
server.registerTool(
  "find-papers",
  { description: "Finds papers by a word.", inputSchema: z.object({ word: z.string() }) },
  async ({ word }) => {
    const found = PAPERS.filter(({ title }) => title.toLowerCase().includes(word.toLowerCase()));
    return { content: found.map(({ id, title }) => ({ type: "text", text: `${id}: ${title}` })) };
  },
);
server.registerTool(
  "read-paper",
  { description: "Gives a paper by its id.", inputSchema: z.object({ id: z.string() }) },
  async ({ id }) => {
    const paper = PAPERS.find((one) => one.id === id);
    const text = paper?.text ?? `There is no paper ${id}.`;
    return { content: [{ type: "text", text }], ...(!paper && { isError: true }) };
  },
);
await server.connect(new StdioServerTransport());
