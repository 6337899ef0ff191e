// The words that bring a model to its answer, at the end of what it reads. Decides nothing: when they are said is the turn's and the run's.
import type { Message } from "../core/messages.ts";
import type { OutputFormat } from "../core/requests.ts";
import { outputDemand } from "./instructOutput.ts";
import { sayBehind } from "./sayBehind.ts";

/** `messages` with the words behind the last one, if the model is to answer that. */
export function askForAnswer(messages: readonly Message[], output: OutputFormat): readonly Message[] {
  const last = messages.at(-1);
  const form = outputDemand(output);
  if (last?.role === "tool") {
    const demand = form ?? "Now answer the question in plain words.";
    return sayBehind(messages, `You have the result above. ${demand}`);
  }
  // A model that has not called yet may want to: nothing keeps it from that.
  const words = `Your answer was empty. ${form ?? "Answer now."}`;
  return sayBehind(messages, words);
}
