// Components of type `model`: a running server, under one model name. Starts no server.
import { z } from "zod";
import type { UpstreamConfig } from "../../core/config/configuration.ts";
import { parseTemplate } from "../../core/template/parseTemplate.ts";
import { baseUrl, enumField, identifier, key, nonEmptyText } from "../fields.ts";
import type { KnownNames } from "../load/KnownNames.ts";

const RUNTIME =
  "expected openai-server: Postel starts no server; start it yourself, in a container or by its own command, and write where it listens: `runtime: {type: openai-server, base_url: …}`";

/** Converts a component of type `model` to an upstream, which serves the component's id as its only model name. */
export function createModelComponentSchema({
  upstreamWires,
  addressFault,
}: Pick<KnownNames, "upstreamWires" | "addressFault">) {
  return z
    .strictObject({
      id: identifier(),
      type: z.literal("model"),
      task: z.literal("chat-completion", { error: "expected chat-completion" }).optional(),
      model: nonEmptyText("the model's name, as its server knows it"),
      runtime: z.strictObject({
        type: z.literal("openai-server", { error: RUNTIME }),
        base_url: baseUrl(),
        api_key: key().nullish(),
        wire: enumField([...upstreamWires]).default("openai"),
      }),
      messages: createFilledField("messages"),
      tools: createFilledField("tools"),
    })
    .superRefine(({ runtime: { wire, base_url } }, context) => {
      const fault = addressFault({ wire, baseUrl: base_url });
      if (fault) context.addIssue({ code: "custom", path: ["runtime", "base_url"], message: fault.message });
    })
    .transform(({ id, type, model, runtime }) => {
      const upstream: UpstreamConfig = {
        type: "server",
        id,
        wire: runtime.wire,
        baseUrl: runtime.base_url,
        ...(runtime.api_key && { apiKey: runtime.api_key }),
        headers: {},
        models: [id],
        model,
        parse: "on",
      };
      return { type, upstream };
    });
}

/** Fields that every request has anyway may be written, without any effect. */
function createFilledField(name: string) {
  const error = `expected \${input.${name}}, which is what it is without a word`;
  return z
    .string({ error })
    .refine((raw) => isInput(raw, name), { error })
    .optional();
}

/** Returns true if the text is exactly one placeholder of an input. */
function isInput(raw: string, name: string): boolean {
  const parsed = parseTemplate(raw);
  const [part, ...rest] = parsed.type === "template" ? parsed.parts : [];
  if (part?.type !== "placeholder" || rest.length > 0) return false;
  return part.root === "input" && part.path.join(".") === name;
}
