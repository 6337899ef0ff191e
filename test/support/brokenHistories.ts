// Histories as clients break them, as fast-check arbitraries, and what must hold of what goes up. Mends nothing.
import fc from "fast-check";
import { repairHistory } from "../../src/agents/history/repairHistory.ts";
import { validateHistory } from "../../src/agents/history/validateHistory.ts";
import { isObjectText } from "../../src/core/json/jsonObjectText.ts";
import { joinText, type Message } from "../../src/core/messages.ts";

function call(name: string, text: string, id: string) {
  return { id, name, arguments: text, origin: "native", repairs: [], raw: text };
}

// Words that can be found again, whatever becomes of the message around them.
const ids = fc.constantFrom("a", "b", "c", "call_0", "");
const texts = fc.constantFrom("{}", '{"x": 1}', "{x", "", "null", "[]", '"{}"');
const message = fc.oneof(
  { weight: 3, arbitrary: fc.record({ role: fc.constant("tool" as const), toolCallId: ids }) },
  { weight: 1, arbitrary: fc.record({ role: fc.constantFrom("user" as const, "system" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      role: fc.constant("assistant" as const),
      toolCalls: fc.array(
        fc.tuple(ids, texts).map(([id, text]) => call("tide", text, id)),
        { maxLength: 4 },
      ),
    }),
  },
);
const random = fc
  .array(message, { maxLength: 14 })
  .map((messages) => messages.map((one, at): Message => ({ ...one, content: `words-${at}-` })));

/** A right history of some turns, of which pieces were cut out, doubled or moved. */
const cut = fc
  .tuple(
    fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 6 }),
    fc.array(fc.tuple(fc.nat(60), fc.nat(60), fc.constantFrom("cut", "double", "move")), { maxLength: 5 }),
  )
  .map(([turns, edits]) => {
    const messages = turns.flatMap((count, turn) => {
      const own = Array.from({ length: count }, (_, at) => `t${turn}c${at}`);
      const toolCalls = own.map((id) => call("tide", "{}", id));
      return [
        { role: "user", content: null },
        { role: "assistant", content: null, toolCalls },
        ...own.map((toolCallId) => ({ role: "tool", content: null, toolCallId }) as const),
        { role: "assistant", content: null },
      ] satisfies readonly Message[];
    });
    for (const [from, to, edit] of edits) {
      const at = from % (messages.length + 1);
      const taken = edit === "double" ? messages.slice(at, at + 1) : messages.splice(at, edit === "cut" ? to % 4 : 1);
      if (edit !== "cut") messages.splice(to % (messages.length + 1), 0, ...taken);
    }
    return messages.map((one, at): Message => ({ ...one, content: `words-${at}-` }));
  });

/** No content of one is part of another's. */
export const brokenHistories: fc.Arbitrary<readonly Message[]> = fc.oneof(random, cut);

/** What is wrong with what goes up of `messages`: it breaks the rule, is mended again, or has lost or moved words. */
export async function unmended(messages: readonly Message[]): Promise<string | undefined> {
  const mended = (await repairHistory(messages)).messages;
  const fault = strictFault(mended);
  if (fault !== undefined) return fault;
  if ((await repairHistory(mended)).messages !== mended) return "what was mended is mended again";
  const said = mended.map(({ content }) => joinText(content)).join("\n");
  const lost = messages.find(({ content }) => !said.includes(joinText(content)));
  if (lost) return `${joinText(lost.content)} is lost`;
  return spoken(mended) === spoken(messages) ? undefined : "other words were put into a mouth";
}

/** What is wrong with `messages`: what `validateHistory` finds, or arguments that no upstream could read. */
export function strictFault(messages: readonly Message[]): string | undefined {
  const unreadable = messages.flatMap(({ toolCalls = [] }) => toolCalls).find((call) => !isObjectText(call.arguments));
  return unreadable ? `the arguments of ${unreadable.id} are no JSON object` : validateHistory(messages);
}

/** What nobody but its speaker may be given. */
function spoken(messages: readonly Message[]): string {
  const own = messages.filter(({ role }) => role === "assistant" || role === "system");
  return own.map(({ role, content }) => `${role}: ${joinText(content)}`).join("\n");
}
