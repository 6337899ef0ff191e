// How models mark the answer that ends their work: labels, elements around it, pseudo tools. Data only; FinalAnswerExtractor reads it.

/** Labels in front of an answer, in lower case and without decoration. */
export const ANSWER_LABELS: readonly string[] = ["final answer", "final_answer", "最终答案", "respuesta final"];

/** A label of the same meaning that is a plain heading unless a thought stands before it. */
export const WEAK_ANSWER_LABELS: readonly string[] = ["answer", "respuesta"];

/** Actions that call nothing and answer, with their input or with what stands in their brackets (`Finish[…]`), where no tool is called that. */
export const ANSWER_ACTIONS: readonly string[] = ["finish", "respond", "final answer", "final_answer", "answer"];

/** The function that agents which write Python end with, and the mark behind their code: where nobody offers it, its argument is the answer. */
export const ANSWER_FUNCTION = { name: "final_answer", parameter: "answer", end: "<end_code>" } as const;
