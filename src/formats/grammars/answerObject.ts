// A whole message that is an answer in a call's clothes (`{"action": "Final Answer", …}`): its words are the content. Reads no call.
import { readAnswerObject } from "../decoders/callObjects.ts";
import { decodeJson } from "../decoders/decodeJson.ts";
import { END, type Reading } from "../Source.ts";
import { scanBalanced } from "../scanBalanced.ts";
import { peek, startsWith } from "../Tag.ts";
import { isBlank } from "../TextSink.ts";
import { skipBlanks, type Turn } from "../Turn.ts";

/** Keys that such an object begins with. */
const FIRST_KEYS = ["response", "action", "tool", "tool_name", "name", "function"];
/** The family whose prompt asks for `{"response": "…"}`; anybody else may mean the object itself. */
const WRAPS_ANSWERS = "generic-json";
const BLANKS_LIMIT = 256;

/**
 * Reads an answer object at the cursor, in a fence or not, which must be the whole message: true where its words were written.
 * The source is held from the cursor on; where false is returned, the cursor is somewhere behind it.
 */
export function* readAnswerMessage(turn: Turn): Reading<boolean> {
  const { source } = turn;
  if (turn.shown > 0 || turn.callCount > 0) return false;
  const fenced = yield* startsWith(source, "```json\n");
  if (fenced) source.skip("```json\n".length);
  const code = yield* skipBlanks(source);
  if ((code !== 123 && code !== 91) || !(yield* mayAnswer(turn))) return false;
  const from = source.offset;
  if ((yield* scanBalanced(source, from + turn.options.captureChars)) !== "balanced") return false;
  const to = source.offset;
  if (fenced && (yield* skipBlanks(source)) === 96 && (yield* startsWith(source, "```"))) source.skip(3);
  if ((yield* skipBlanks(source)) !== END || turn.finish !== "normal") return false;
  const json = decodeJson(turn.captured(from, to));
  const answer = json && readAnswerObject(json.text);
  if (answer === undefined) return false;
  turn.answer(answer);
  return true;
}

/** Whether the first key of the object at the cursor is one of an answer's, so that other JSON is not held back. */
function* mayAnswer(turn: Turn): Reading<boolean> {
  const { source, options } = turn;
  let ahead = 0;
  for (let code = yield* peek(source); ahead < BLANKS_LIMIT; code = yield* peek(source, ahead)) {
    if (code !== 123 && code !== 91 && !isBlank(code)) break;
    ahead += 1;
  }
  for (const key of FIRST_KEYS) {
    const known = key !== "response" || options.toolMode === "text" || options.formats.includes(WRAPS_ANSWERS);
    if (known && (yield* startsWith(source, `"${key}"`, ahead))) return true;
  }
  return false;
}
