// Fragments as servers really send them.
import { describe, expect, it } from "@jest/globals";
import type { CallFragment } from "../../../../src/models/response/callFragments.ts";
import { ToolCallAssembler } from "../../../../src/models/response/ToolCallAssembler.ts";

type Piece = Omit<CallFragment, "type">;

function assemble(...pieces: readonly Piece[]) {
  const assembler = new ToolCallAssembler();
  for (const piece of pieces) assembler.add({ type: "call-fragment", ...piece });
  return assembler.finish();
}

describe("ToolCallAssembler", () => {
  it("joins the arguments of interleaved calls by index", () => {
    expect(
      assemble(
        { index: 0, id: "a", name: "f", arguments: "" },
        { index: 1, id: "b", name: "g", arguments: "" },
        { index: 0, arguments: '{"x":' },
        { index: 1, arguments: "{}" },
        { index: 0, arguments: "1}" },
      ),
    ).toEqual([
      { index: 0, id: "a", name: "f", arguments: '{"x":1}' },
      { index: 1, id: "b", name: "g", arguments: "{}" },
    ]);
  });

  it("keeps what a fragment says beside the call, whichever fragment says it", () => {
    const signature = (word: string) => ({
      extra_content: { vendor: { signature: word, kind: "k" } },
    });
    expect(
      assemble(
        {
          index: 0,
          id: "a",
          name: "f",
          arguments: "",
          extra: { ...signature("early"), note: 1 },
        },
        { index: 1, id: "b", name: "g", arguments: "{}" },
        {
          index: 0,
          arguments: "{}",
          extra: { extra_content: { vendor: { signature: "last" } } },
        },
      ),
    ).toEqual([
      {
        index: 0,
        id: "a",
        name: "f",
        arguments: "{}",
        extra: { ...signature("last"), note: 1 },
      },
      { index: 1, id: "b", name: "g", arguments: "{}" },
    ]);
  });

  it("tells calls apart that all have index 0, by id and name", () => {
    expect(
      assemble(
        { index: 0, id: "a", name: "f", arguments: '{"x":1}' },
        { index: 0, id: "b", name: "f", arguments: '{"x":1}' },
      ),
    ).toMatchObject([{ id: "a" }, { id: "b" }]);
  });

  it("tells calls apart that all have index 0 and no id, by name or by a second whole object", () => {
    expect(assemble({ index: 0, name: "f", arguments: "{}" }, { index: 0, name: "g", arguments: "{}" })).toMatchObject([
      { name: "f" },
      { name: "g" },
    ]);
    expect(
      assemble({ index: 0, name: "f", arguments: '{"x":1}' }, { index: 0, name: "f", arguments: '{"x":2}' }),
    ).toMatchObject([{ arguments: '{"x":1}' }, { arguments: '{"x":2}' }]);
  });

  it("keeps one call together whose id is made anew on every fragment", () => {
    expect(
      assemble({ index: 0, id: "a", name: "f", arguments: '{"x"' }, { index: 0, id: "b", arguments: ":1}" }),
    ).toEqual([{ index: 0, id: "a", name: "f", arguments: '{"x":1}' }]);
  });

  it("keeps one call together whose id and name are repeated on every fragment", () => {
    const head = { index: 0, id: "a", name: "f" };
    expect(assemble({ ...head, arguments: '{"x"' }, { ...head, arguments: ":1}" })).toEqual([
      { ...head, arguments: '{"x":1}' },
    ]);
    expect(
      assemble({ index: 0, name: "f", arguments: '{"x"' }, { index: 0, name: "f", arguments: ":1}" }),
    ).toHaveLength(1);
  });

  it("takes a name after the arguments, in pieces, or as a growing snapshot", () => {
    expect(assemble({ index: 0, arguments: "{}" }, { index: 0, id: "a", name: "f" })).toEqual([
      { index: 0, id: "a", name: "f", arguments: "{}" },
    ]);
    expect(assemble({ index: 0, id: "a", name: "look" }, { index: 0, name: "up", arguments: "{}" })).toMatchObject([
      { name: "lookup" },
    ]);
    expect(assemble({ index: 0, id: "a", name: "look" }, { index: 0, id: "a", name: "lookup" })).toMatchObject([
      { name: "lookup" },
    ]);
  });

  it("survives a name after arguments under a far index (US-012), without holes", () => {
    expect(assemble({ index: 0, arguments: '{"a":' }, { index: 7, id: "x", name: "f", arguments: "1}" })).toEqual([
      { index: 0, name: "", arguments: '{"a":' },
      { index: 7, id: "x", name: "f", arguments: "1}" },
    ]);
    expect(assemble({ index: 2 ** 40, name: "f" }, { index: -1, name: "g" })).toMatchObject([
      { index: -1 },
      { index: 2 ** 40 },
    ]);
  });

  it("reads snapshots that grow, and a whole text repeated at the end", () => {
    expect(
      assemble(
        { index: 0, name: "f", arguments: '{"x":' },
        { index: 0, arguments: '{"x":"a' },
        { index: 0, arguments: '{"x":"ab"}' },
      ),
    ).toMatchObject([{ arguments: '{"x":"ab"}' }]);
    expect(
      assemble(
        { index: 0, name: "f", arguments: '{"x"' },
        { index: 0, arguments: ":1}" },
        { index: 0, arguments: '{"x":1}' },
      ),
    ).toMatchObject([{ arguments: '{"x":1}' }]);
    expect(assemble({ index: 0, name: "f", arguments: "{}" }, { index: 0, name: "f", arguments: "{}" })).toMatchObject([
      { arguments: "{}" },
    ]);
  });

  it("believes the plain reading where it is JSON, though a piece begins like the one before", () => {
    expect(assemble({ index: 0, name: "f", arguments: '{"a":' }, { index: 0, arguments: '{"a":1}}' })).toMatchObject([
      { arguments: '{"a":{"a":1}}' },
    ]);
  });

  it("leaves broken arguments as they came", () => {
    expect(assemble({ index: 0, name: "f", arguments: "{'x'" }, { index: 0, arguments: ": 1" })).toMatchObject([
      { arguments: "{'x': 1" },
    ]);
  });
});

/** Characters that a call's pieces are joined to, tried or compared by, whatever their number: strings count themselves. */
describe("a call in 160,000 fragments", () => {
  const MANY = 160_000;
  const nameless = (text: string): Piece => ({ index: 0, arguments: text });
  const pieces = (make: (n: number) => Piece): readonly Piece[] => Array.from({ length: MANY }, (_, n) => make(n));

  /** JSON.parse and join over all that came so far is what made this quadratic. */
  function charactersLookedAt(all: readonly Piece[]): number {
    const parse = JSON.parse;
    const join = Array.prototype.join;
    let looked = 0;
    JSON.parse = (text: string) => {
      looked += text.length;
      return parse(text) as unknown;
    };
    Array.prototype.join = function (separator) {
      looked += this.length;
      return join.call(this, separator);
    };
    try {
      const assembler = new ToolCallAssembler();
      for (const piece of all) assembler.add({ type: "call-fragment", ...piece });
      assembler.finish();
    } finally {
      JSON.parse = parse;
      Array.prototype.join = join;
    }
    return looked;
  }

  it.each<[how: string, pieces: readonly Piece[]]>([
    ["of one character each", [nameless('{"x":"'), ...pieces(() => nameless("y")), nameless('"}')]],
    ["that all bear the name", [nameless('{"x":"'), ...pieces(() => ({ ...nameless("{"), name: "f" }))]],
    ["that each look like a call that follows", [nameless("a"), ...pieces(() => ({ ...nameless("{}"), name: "f" }))]],
    ["of one name", pieces(() => ({ index: 0, name: "ab" }))],
    ["of white space behind a whole call", [nameless("{}"), ...pieces(() => ({ ...nameless(" "), name: "f" }))]],
    ["of a call each", pieces((n) => ({ index: n, name: "f", arguments: "{}" }))],
    ["of a call each under one index", pieces((n) => ({ index: 0, name: "f", arguments: `{"n":${n}}` }))],
    ["with a new field beside each", pieces((n) => ({ index: 0, extra: { [`f${n}`]: n } }))],
  ])("costs no more than a few looks at each character, if they are fragments %s", (_, all) => {
    const size = all.reduce((sum, piece) => sum + JSON.stringify(piece).length, 0);
    expect(charactersLookedAt(all)).toBeLessThan(4 * size);
  });

  it("is the call that its fragments say", () => {
    const head = { index: 0, id: "a", name: "f", arguments: '{"x":"' };
    const [call] = assemble(head, ...Array.from({ length: 20_000 }, () => nameless("y")), nameless('"}'));
    expect(call).toEqual({ index: 0, id: "a", name: "f", arguments: `{"x":"${"y".repeat(20_000)}"}` });
  });
});
