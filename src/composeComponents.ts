// The tools that components of the configuration are, each kind with what carries it out. Loaded only where there is a component.
import { secretsOf } from "./config/secretsOf.ts";
import type { ShellComponent } from "./core/components.ts";
import type { Config } from "./core/configuration.ts";
import type { Egress, ProcessPort } from "./core/ports.ts";
import { matchesSchema } from "./formats/fitting/matchesSchema.ts";
import { redactKnown } from "./telemetry/createRedact.ts";
import { httpClientTools } from "./tools/httpClientTools.ts";
import { fixedTools, type ToolSource } from "./tools/ToolSource.ts";

export interface Carriers {
  readonly egress: Egress;
  /** Takes the place of child processes in a replay. */
  readonly replayed?: ProcessPort | undefined;
  /** The layer that records; absent: nothing is recorded. */
  readonly recordedProcesses?: ((inner: ProcessPort) => ProcessPort) | undefined;
}

export async function componentSources(config: Config, carriers: Carriers): Promise<readonly ToolSource[]> {
  const told = { credentials: config.credentials, redact: redactKnown(secretsOf(config)), matches: matchesSchema };
  const { headersMs } = config.timeouts;
  const services = config.components.flatMap((component) => (component.type === "http-client" ? [component] : []));
  const programs = config.components.flatMap((component) => (component.type === "shell" ? [component] : []));
  return [
    ...services.map((one) => fixedTools(httpClientTools(one, { egress: carriers.egress, headersMs, ...told }))),
    ...(programs.length > 0 ? await shellSources(programs, carriers, told) : []),
  ];
}

async function shellSources(
  components: readonly ShellComponent[],
  { replayed, recordedProcesses = (inner) => inner }: Carriers,
  told: Pick<Parameters<typeof httpClientTools>[1], "credentials" | "redact" | "matches">,
): Promise<readonly ToolSource[]> {
  const { shellTools } = await import("./tools/shell/shellTools.ts");
  const { childProcesses } = await import("./processes/childProcesses.ts");
  const options = { processes: recordedProcesses(replayed ?? childProcesses()), ...told };
  return components.map((component) => fixedTools(shellTools(component, options)));
}
