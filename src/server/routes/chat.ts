// POST /chat: one question in a session, one answer, for simple clients.
import type { RequestHandler, Response } from "express";
import { z } from "zod";
import type { AgentRunRequest } from "../../agents/AgentRunRequest.ts";
import { Collector } from "../../core/events/Collector.ts";
import type { RunEvent } from "../../core/events/events.ts";
import { joinAnswerText } from "../../core/events/refusals.ts";
import { createFailure, PostelError, refuseField } from "../../core/failures.ts";
import { escapeArguments } from "../../core/json/escapeInvisible.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { Decision, Interrupt } from "../../core/runs/interrupts.ts";
import type { OwnerKey } from "../../core/stores/OwnerKey.ts";
import type { RunSubscriber } from "../../runs/RunService.ts";
import type { AppServices } from "../AppServices.ts";
import { simpleChatWire } from "../apis/simpleChatWire.ts";
import { readDecision } from "../decisions/parseDecision.ts";
import { getCaller, refuseWithout } from "../http/authorize.ts";
import { sendFailure } from "../http/errorHandler.ts";
import { getRequestContext } from "../http/RequestContext.ts";
import { checkShape } from "../validation/checkShape.ts";
import { mayBeInterrupt } from "../validation/pathParams.ts";
import { sessionId, sessionMode } from "../validation/runFields.ts";

const questionShape = z.strictObject({
  session_id: sessionId,
  question: z.string().nullish(),
  mode: sessionMode.nullish(),
  agent: z.string().min(1).max(256).nullish(),
  interrupt_response: z
    .strictObject({ id: z.string().max(64), response: z.union([z.string(), z.looseObject({})]) })
    .nullish(),
});

type Question = z.infer<typeof questionShape>;

/** A plan that this route shows a client. */
interface ShownPlan {
  /** The interrupt's. */
  readonly id: string;
  readonly hash: string;
}

export function createSimpleChatRoute(services: AppServices): RequestHandler {
  return async (request, response) => {
    const body = checkShape(questionShape, request.body);
    getRequestContext(response).session = body.session_id;
    const owner = getCaller(response).name;
    const ask = body.interrupt_response
      ? await decided(services, body, response)
      : await asked(services, body, response);
    const signal = new Said();
    const take = (events: readonly RunEvent[]): undefined => signal.add(events);
    const onResumed = (run: string): void => getRequestContext(response).noteResumed(run);
    try {
      await ask({ signal: getRequestContext(response).signal, onEvents: take, onResumed });
    } catch (error) {
      const renewed = getNewPlan(body, error);
      if (renewed) await noteShown(services, owner, renewed);
      throw error;
    }
    const { failure: cause } = signal.outline;
    if (cause) return await sendFailure(response, cause, { wire: simpleChatWire });
    const { id = "", plan } = signal.interrupt ?? {};
    if (plan) await noteShown(services, owner, { id, hash: plan.hash });
    await getRequestContext(response).paced.json(signal.body());
  };
}

type Ask = (going: RunSubscriber) => Promise<void>;

async function asked(services: AppServices, body: Question, response: Response): Promise<Ask> {
  const caller = getCaller(response);
  refuseWithout("ask", caller);
  const text = body.question ?? "";
  if (text.trim() === "") refuseField("question", "`question` is refused: it is blank.");
  const session = { owner: caller.name, id: body.session_id };
  const request: AgentRunRequest = {
    chat: {
      id: getRequestContext(response).run,
      caller,
      model: await resolveModel(services, session, body.agent ?? undefined, getRequestContext(response).signal),
      messages: [{ role: "user", content: text }],
      tools: [],
      toolChoice: { type: "auto" },
      sampling: {},
      output: { type: "text" },
      passthrough: {},
    },
    ...(body.agent && { agent: body.agent }),
    mode: body.mode ?? "normal",
    interactive: true,
  };
  return (going) => services.sessions.ask({ session, request }, going);
}

async function decided({ sessions, store, runs }: AppServices, body: Question, response: Response): Promise<Ask> {
  const by = getCaller(response);
  refuseWithout("decide", by);
  const session = { owner: by.name, id: body.session_id };
  const { id = "", response: word = "" } = body.interrupt_response ?? {};
  const interrupt = mayBeInterrupt(id) ? await runs.interrupt({ owner: by.name, id }) : undefined;
  const run = interrupt && (await store.runs.get({ owner: by.name, id: interrupt.run }));
  if (!interrupt || run?.sessionId !== session.id) {
    const message = `Nothing waits in the session \`${session.id}\` under that id.`;
    throw new PostelError(createFailure("interrupt_not_found", message, { param: "interrupt_response.id" }));
  }
  const given = [{ id, decision: typeof word === "string" ? toDecision(word, interrupt) : readDecision(word) }];
  return (going) =>
    sessions.decide(
      { session, run: interrupt.run, decisions: given, decidedBy: by, holder: getRequestContext(response).run },
      going,
    );
}

/**
 * A plain word contains no plan. `approve` counts for the plan only if this route has shown that plan; without a hash the
 * decision is rejected as `plan_mismatch`, which shows the plan. `reject` runs nothing, so it counts for any plan.
 */
function toDecision(word: string, { plan, shownInChat }: Interrupt): Decision {
  if (!plan) return { type: "answer", response: word };
  const type = APPROVAL_WORDS.find((one) => one === word);
  if (type) return { type, plan: type === "reject" || shownInChat ? plan.hash : "" };
  return refuseField(
    "interrupt_response.response",
    `\`response\` must be ${APPROVAL_WORDS.join(" or ")}, or a decision as an object.`,
  );
}

const APPROVAL_WORDS = ["approve", "reject"] as const;

/** A refusal as `plan_mismatch` shows the plan that waits from then on. */
function getNewPlan({ interrupt_response: given }: Question, error: unknown): ShownPlan | undefined {
  const { code, details } = error instanceof PostelError ? error.failure : {};
  if (!given || code !== "plan_mismatch" || !Array.isArray(details?.interrupts)) return undefined;
  const entryToShow = (details.interrupts as readonly JsonObject[]).find(({ id }) => id === given.id);
  return typeof entryToShow?.plan === "string" ? { id: given.id, hash: entryToShow.plan } : undefined;
}

/**
 * If another route renews the plan at the same moment, this may restore the shown plan; its hash is checked again before it
 * runs.
 */
async function noteShown({ store }: AppServices, owner: string, { id, hash }: ShownPlan): Promise<void> {
  const record = await store.interrupts.get({ owner, id });
  if (record?.status !== "open" || record.plan?.hash !== hash || record.shownInChat) return;
  const { owner: _, status, ...interrupt } = record;
  await store.interrupts.renew(owner, { ...interrupt, shownInChat: true });
}

/** The agent's own model, or the first that is listed. */
async function resolveModel(
  { agents, directory, store }: AppServices,
  session: OwnerKey,
  named: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const id = named ?? (await store.sessions.get(session))?.agent ?? "default";
  const agent = agents.find((one) => one.id === id) ?? (named === undefined ? agents[0] : undefined);
  const model = agent?.model ?? (await directory.list(signal))[0]?.id;
  if (model !== undefined) return model;
  throw new PostelError(createFailure("model_not_found", "No agent names a model, and no upstream lists one."));
}

/** Collects the events of one answer. */
class Said {
  readonly #collector = new Collector();
  readonly #interrupts: Interrupt[] = [];

  add(events: readonly RunEvent[]): undefined {
    for (const event of events) {
      this.#collector.add(event);
      if (event.type === "interrupt") this.#interrupts.push(event.interrupt);
    }
  }

  get outline() {
    return this.#collector.getSummary();
  }

  /** The one that the answer shows. */
  get interrupt(): Interrupt | undefined {
    return this.#collector.getCollected().outcome === "awaiting-human" ? this.#interrupts[0] : undefined;
  }

  body(): JsonObject {
    const { end, sources = [] } = this.#collector.getCollected();
    const first = this.interrupt;
    return {
      answer: joinAnswerText(this.#collector),
      sources,
      interrupt: first ? shown(first) : null,
      tokens: { input: end?.usage?.promptTokens ?? 0, output: end?.usage?.completionTokens ?? 0 },
    };
  }
}

/** The question contains what would run: it is all that the user sees here. */
function shown({ id, type, question, options, reason, plan }: Interrupt): JsonObject {
  return {
    id,
    type,
    question: plan ? `${question}\n\n${plan.tool} ${escapeArguments(plan)}` : question,
    ...(plan ? { options: APPROVAL_WORDS, plan: plan.hash } : options && { options }),
    ...(reason !== undefined && { reason }),
  };
}
