// Transports MCP messages as lines of a program, which the injected ProgramPort starts.
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { OpenProgram, ProgramEnd, ProgramPort, ProgramRequest } from "../../core/ports.ts";

export class StdioTransport implements Transport {
  onmessage?: Transport["onmessage"];
  onerror?: Transport["onerror"];
  onclose?: Transport["onclose"];
  readonly #programs: ProgramPort;
  readonly #request: ProgramRequest;
  #program: OpenProgram | undefined;

  constructor(programs: ProgramPort, request: ProgramRequest) {
    this.#programs = programs;
    this.#request = request;
  }

  /** Reason why the program ended; undefined if it was never started. */
  async ended(): Promise<ProgramEnd | undefined> {
    return await this.#program?.ended;
  }

  async start(): Promise<void> {
    this.#program = this.#programs.open(this.#request, (line) => this.#readMessage(line));
    void this.#program.ended.then(() => this.onclose?.());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#program) throw new Error("the program was not started.");
    await this.#program.write(JSON.stringify(message));
  }

  async close(): Promise<void> {
    await this.#program?.close();
  }

  #readMessage(line: string): void {
    if (line.trim() === "") return;
    let message: JSONRPCMessage;
    try {
      message = JSON.parse(line) as JSONRPCMessage;
    } catch {
      this.onerror?.(new Error("a line that is no JSON"));
      return;
    }
    // The client validates the message: a server may write anything.
    this.onmessage?.(message);
  }
}
