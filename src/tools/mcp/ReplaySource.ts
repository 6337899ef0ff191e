// The tools of a server in a recorded run, with the recorded results. Contacts no server.
import type { McpComponent } from "../../core/config/mcpComponent.ts";
import type { ReplayServers } from "../../core/tools/mcpCalls.ts";
import type { Tool } from "../Tool.ts";
import type { ToolSource } from "../ToolSource.ts";
import { McpToolFactory, type ServedToolServices } from "./McpToolFactory.ts";
import { recordCall } from "./recordCall.ts";

export class ReplaySource implements ToolSource {
  readonly server: string;
  readonly hasChanged = false;
  readonly #component: McpComponent;
  readonly #services: ServedToolServices;
  readonly #played: ReplayServers;

  constructor(component: McpComponent, services: ServedToolServices & { readonly played: ReplayServers }) {
    this.server = component.id;
    this.#component = component;
    this.#services = services;
    this.#played = services.played;
  }

  get outage(): string | undefined {
    return this.#played.listTools(this.server).length === 0 ? "nothing of it was recorded." : undefined;
  }

  async list(): Promise<readonly Tool[]> {
    const { server } = this;
    const definitions = this.#played.listTools(server);
    const interceptor: ReplayServers["around"] = (call, send) => this.#played.around(call, send);
    const factory = new McpToolFactory(this.#component, {
      ...this.#services,
      onDropped: () => {},
      call: (call) =>
        recordCall(call, { server, interceptor }, () => Promise.reject(new Error("nothing is asked here."))),
    });
    const agreed = new Set(definitions.filter((one) => one.agreed).map(({ listed }) => listed.name));
    return factory
      .createTools(definitions.map(({ listed }) => listed))
      .map((tool) => (agreed.has(tool.definition?.tool) ? { ...tool, definition: undefined } : tool));
  }
}
