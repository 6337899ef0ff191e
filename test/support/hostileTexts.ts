// Texts made to cost more than they are long: what an attacker, a stuck model or a bad day can write. Each family grows to any size.

export interface HostileFamily {
  readonly name: string;
  /** A text of exactly `characters` characters. */
  readonly text: (characters: number) => string;
}

const CALL = '{"name": "set_lamp", "arguments": {"colour": "red"}}';

export const HOSTILE_FAMILIES: readonly HostileFamily[] = [
  // Openers that are never closed.
  repeated("less-than signs", "<"),
  repeated("less-than signs with bars", "<|"),
  repeated("closing-tag starts", "</"),
  repeated("half special tokens", "<|tool_call"),
  repeated("half reasoning openers", "<think"),
  repeated("doubled full-width bars", "<｜｜"),
  repeated("block openers", "<tool_call>"),
  closed("block openers before prose", "", "<tool_call>", " no call"),
  closed("special block openers before prose", "", "<|tool_call|>", " no call"),
  closed("section openers before prose", "", "<|tool_calls_section_begin|>", " no call"),
  repeated("block openers of many kinds", "<tool_call><function_calls><tools><action>"),
  repeated("special block openers", "<|tool_call|>"),
  repeated("section openers", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>"),
  repeated("section heads", "<|tool_call_begin|>functions.set_lamp:0"),
  repeated("sections of noise", `<|tool_calls_section_begin|>${"x".repeat(250)}`),
  repeated("bracket call openers", "[TOOL_CALL]"),
  repeated("mistral openers", "[TOOL_CALLS]set_lamp[ARGS]"),
  repeated("brace call openers", "<|tool_call>call:set_lamp{"),
  repeated("flowers", "✿FUNCTION✿: set_lamp\n✿ARGS✿: "),
  repeated("lead tokens", "]<]minimax[>["),
  repeated("lead tokens with tags", "]<]minimax[>[<tool_call>"),
  repeated("reasoning openers", "<think>"),
  repeated("reasoning blocks", "<think>a</think>b"),
  after("calls inside reasoning", "<think>", `<tool_call>${CALL}</tool_call>`),
  after("literal call marks inside reasoning", "<think>", "[TOOL_CALLS]"),
  repeated("reasoning closers", "</think>"),
  repeated("thinking headers of two families", "◁think▷[THINK]"),
  repeated("channel headers", "<|channel|>analysis<|message|>"),
  after("a channel header without end", "<|channel|>", "commentary to=functions.set_lamp "),
  repeated("channel marks in prose", "<|channel|>analysis<|message|>x<|end|>"),
  repeated("recipients", "to=functions.set_lamp \n"),
  repeated("stripped headers", "assistantcommentary to=functions.set_lamp x\n"),
  after("a stripped analysis", "analysis", "assistantfina "),
  // Orphans and elements.
  repeated("orphaned closers", "</tool_call></parameter></function>"),
  repeated("orphaned parameters", "<parameter=colour>"),
  repeated("orphaned functions", "<function=set_lamp>"),
  repeated("orphaned functions with a body", "<function=set_lamp>\n<parameter=colour>\nred\n"),
  repeated("orphaned invokes", '<invoke name="set_lamp"><parameter name="colour">'),
  repeated("invokes that break late", '<invoke name="set_lamp">{"colour": "red"} oops\n'),
  repeated("lines of offered elements", "<set_lamp><colour>\n"),
  repeated("lines of refused elements", "<set_lamp><colour>x</colour><paint>y</paint></set_lamp>\n"),
  after("closers that are data", "<tool_call><function=set_lamp><parameter=colour>", "</parameter> x "),
  after("sibling openers in a value", "<tool_call><function=set_lamp><parameter=colour>", "<parameter=colour>"),
  after(
    "closers and blanks in a value",
    '<invoke name="set_lamp"><parameter name="colour">',
    `</parameter>${" ".repeat(60)}x`,
  ),
  after("half tags in a value", "<tool_call><function=set_lamp><parameter=colour>", "<parameter "),
  after("open character data", "<tool_call><function=set_lamp><parameter=colour>", "<![CDATA["),
  after("parameters without number", "<tool_call><function=set_lamp>", "<parameter=colour>x</parameter>"),
  after("pairs without number", "<tool_call>set_lamp\n", "<arg_key>k</arg_key><arg_value>v</arg_value>"),
  after("attributes", "<function ", 'a="b" '),
  repeated("attribute tags", `<invoke ${'a="b" '.repeat(300)}`),
  repeated("open attribute quotes", '<invoke name="'),
  repeated("tool labels", "<tool: set_lamp>x "),
  repeated("entities in elements", "<function=set_lamp><parameter=colour>&amp;&lt;</parameter></function>"),
  // Brackets, quotes and bodies.
  repeated("brackets", "["),
  repeated("braces", "{"),
  repeated("brackets on lines", "[\n"),
  repeated("braces on lines", '{"name": \n'),
  after("a deep body", "<tool_call>", '{"a":['),
  after("an open string", '<tool_call>{"name": "', "a "),
  after("brackets in a string", '<tool_call>{"name": "', "[{("),
  after("escapes in a string", '<tool_call>{"name": "', '\\"'),
  after("quotes that do not close", '<tool_call>{"name": "', '" x '),
  after("blanks behind quotes", '<tool_call>{"name": "', `"${" ".repeat(60)}x`),
  after("items of a list", "[TOOL_CALLS][", `${CALL}, `),
  after("bodies in a block", "<tool_call>", `${CALL}\n`),
  after("broken bodies in a block", "<tool_call>", '{"name": "set_lamp", "arguments": <}\n'),
  repeated("blocks", `<tool_call>${CALL}</tool_call>\n`),
  repeated("blocks of unknown tools", '<tool_call>{"name": "no", "arguments": {}}</tool_call>'),
  repeated(
    "blocks with mended bodies",
    "<tool_call>{'name': 'set_lamp', 'arguments': {'colour': 'red',}}</tool_call>\n",
  ),
  repeated("bare objects", `${CALL}\n`),
  repeated("bare objects that are none", '{"name": "set_lamp", "arguments": {"colour": 3}} x\n'),
  repeated("python calls", "set_lamp(colour='red')\n"),
  repeated("python calls cut late", "set_lamp(colour='red') x\n"),
  repeated("open python calls", "set_lamp(\n"),
  repeated("named objects", 'set_lamp{"colour": "red"} \n'),
  closed("one long list of bare objects", "[", `${CALL},`, `${CALL}]`),
  closed(
    "one bare object of many members",
    '{"name": "set_lamp", "arguments": {',
    // Fewer values than one body may hold in 128 KB: beyond that a bounded second look costs a step, which is no slope.
    '"k": [1, 2.50, null, "north by west"],',
    '"colour": "red"}}',
  ),
  closed("one long string", `<tool_call>${CALL.slice(0, -4)}`, 'a\\n" b {', '"}}</tool_call>'),
  closed(
    "one object that is mended",
    "<tool_call>{'name': 'set_lamp', 'arguments': {",
    "'k': [True, 'x', None],",
    "'colour': 'red'}}</tool_call>",
  ),
  closed(
    "one object without commas",
    "<tool_call>{'name': 'set_lamp', 'arguments': {",
    "'k': 1 ",
    "'colour': 'red'}}</tool_call>",
  ),
  closed("one python call of many arguments", "set_lamp(colour='red'", ", k=[1, {'a': None}]", ")"),
  closed("one python string", 'set_lamp(colour="', "a\\n' (", '")'),
  closed(
    "one element value",
    "<function=set_lamp><parameter=colour>\n",
    "</parameter x\n < ",
    "\n</parameter></function>",
  ),
  closed("one brace literal", '<|tool_call>call:set_lamp{colour:<|"|>red<|"|>', ",k:[1,{a:null}]", "}<tool_call|>"),
  closed(
    "one element of elements",
    "<tool_call><name>set_lamp</name><arguments>",
    "<k>v</k>",
    "</arguments></tool_call>",
  ),
  // Lines, labels and fences.
  repeated("backticks", "`"),
  repeated("spaced backticks", "` "),
  repeated("fences", "```\n"),
  repeated("fence openers with languages", "```json\n"),
  repeated("tildes and backticks", "~~~\n```\n"),
  repeated("fences around a call", `\`\`\`json\n${CALL}\n`),
  repeated("indented fences", `\`\`\`\n${" ".repeat(60)}x\n`),
  repeated("inline code over lines", "`set_lamp\n"),
  repeated("yaml fences", "```yaml\nname: set_lamp\n"),
  repeated("newlines", "\n"),
  repeated("blanks", " "),
  repeated("carriage returns", "\r\n"),
  after("newlines behind a word", "x", "\n"),
  after("blanks behind a block opener", "<tool_call>", " "),
  after("blanks behind a call", `<tool_call>${CALL}</tool_call>`, " \n"),
  repeated("words and newlines", "a\n"),
  repeated("labels", "Thought: x\n"),
  repeated("actions without input", "Action: set_lamp\n"),
  repeated("inputs without action", "Action Input: {}\n"),
  after("a thought without action", "Thought: ", "I wonder.\n"),
  after("an input without end", "Thought: x\nAction: set_lamp\nAction Input: ", "a = 1,\n"),
  after("pairs in an input", "Thought: x\nAction: set_lamp\nAction Input: ", "colour=red, "),
  repeated("decorated half labels", "**#`Acti\n"),
  repeated("quoted lines", "> x\n"),
  repeated("list bullets", "- - "),
  repeated("turn ends", "<|im_end|>\n<|im_start|>assistant\n"),
  repeated("role headers", "<|im_start|>assistant"),
  repeated("answer wrappers", "<answer></answer>"),
  repeated("surrogate halves", "\ud83d<"),
  repeated("prose", "The lamp at the point was lit at nine, and x < y. "),
];

function repeatedTo(unit: string, characters: number): string {
  return unit.repeat(Math.ceil(characters / unit.length)).slice(0, characters);
}

function repeated(name: string, unit: string): HostileFamily {
  return { name, text: (characters) => repeatedTo(unit, characters) };
}

function after(name: string, head: string, unit: string): HostileFamily {
  return { name, text: (characters) => head + repeatedTo(unit, characters - head.length) };
}

/** A single thing that is whole at its end, so that what decodes it has to read it all. */
function closed(name: string, head: string, unit: string, tail: string): HostileFamily {
  const text = (characters: number): string => {
    const inside = characters - head.length - tail.length;
    const units = Math.floor(inside / unit.length);
    return head + unit.repeat(units) + tail + " ".repeat(inside - units * unit.length);
  };
  return { name, text };
}
