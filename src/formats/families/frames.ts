// Marks around an answer that are no calls and no reasoning: ends of a turn, beginnings of one, wrappers of the answer. Data only.

/** After one of these, only another message of the assistant is read. */
export const TURN_ENDS: ReadonlySet<string> = new Set([
  "|im_end|",
  "|eot_id|",
  "|eom_id|",
  "|endoftext|",
  "|end_of_text|",
  "|end_of_sentence|",
  "|end_of_msg|",
  "|END_OF_TURN_TOKEN|",
  "|eom|",
  "|eot|",
  "|return|",
  "|call|",
  "|message_sep|",
  "|observation|",
  "|user|",
  "|User|",
  "|tool_response",
  "end_of_turn",
  "turn|",
  "end_code",
  "bot_end",
  "/s",
]);

/** What begins another message, and whose: the role may stand in the mark or behind it. */
export const TURN_STARTS: ReadonlySet<string> = new Set([
  "|im_start|",
  "|start_header_id|",
  "|start|",
  "|begin|",
  "|turn",
  "start_of_turn",
  "|Assistant|",
  "|assistant|",
  "|START_OF_TURN_TOKEN|",
  "|CHATBOT_TOKEN|",
  "|message_model|",
  "|im_assistant|",
]);

/** Roles of messages that hold reasoning; the first such header's first word may stand in the prompt. */
export const REASONING_ROLES: ReadonlySet<string> = new Set(["assistant/think"]);
/** What a text begins with where the prompt has written that first word, for the family that does so. */
export const REASONING_START = { text: "/think\n", family: "hyperclovax-role" } as const;

/** Special tokens that only frame: they are dropped wherever they stand. */
export const FRAME_MARKS: ReadonlySet<string> = new Set([
  "xtml:response",
  "xtml:/response",
  "xtml:message",
  "xtml:/message",
  "xtml:tools",
  "xtml:/tools",
  "|START_RESPONSE|",
  "|END_RESPONSE|",
  "|START_TEXT|",
  "|END_TEXT|",
  "|content_text|",
  "|content_invoke_tool_text|",
  "|content_tool_error|",
  "|content_model_end_sampling|",
  "|end_message|",
  "|end|",
  "|content|",
  "|end_header_id|",
  "|im_middle|",
  "|role_sep|",
  "ctrl42",
  "[BEGIN FINAL RESPONSE]",
  "[END FINAL RESPONSE]",
  "s",
]);
