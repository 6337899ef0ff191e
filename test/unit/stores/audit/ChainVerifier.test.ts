// Whatever is done to a chain of entries is found, and named by its entry and its kind: rows AU-002, AU-003 and all that is like them.
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { AuditEntry, AuditEvent, AuditHead } from "../../../../src/core/audit/audit.ts";
import { type ChainCheckOptions, ChainVerifier } from "../../../../src/stores/audit/ChainVerifier.ts";
import { chainEvents, computeDigest, computeEntryHash } from "../../../../src/stores/audit/hashChain.ts";

const OWNERS = ["ada", "bob", "x'; --\n\u202e"];
const said = (n: number): AuditEvent => ({
  ...{ type: "run-asked", owner: OWNERS[n % OWNERS.length] ?? "", run: `r${n}`, by: "ada", agent: "clerk" },
});
const head = ({ seq, hash, at }: AuditEntry): AuditHead => ({ seq, hash, at });

/** As a gateway would write it, some entries at a time. */
function chain(length: number): AuditEntry[] {
  const entries: AuditEntry[] = [];
  while (entries.length < length) {
    const events = Array.from({ length: Math.min(7, length - entries.length) }, (_, n) => said(entries.length + n));
    entries.push(...chainEvents(events, { head: entries.at(-1), at: 1_000 + entries.length }));
  }
  return entries;
}

function check(entries: readonly AuditEntry[], options?: ChainCheckOptions) {
  const checked = new ChainVerifier(options);
  for (const entry of entries) checked.addEntry(entry);
  return checked.report();
}

const kinds = (entries: readonly AuditEntry[], options?: ChainCheckOptions) =>
  check(entries, options).faults.map(({ kind, seq, to }) => (to ? `${kind} ${seq}-${to}` : `${kind} ${seq}`));

/** A chain and two different places in it, the first one first. */
const places = fc.tuple(fc.integer({ min: 3, max: 60 }), fc.nat(), fc.nat()).map(([length, a, b]) => {
  const i = a % length;
  const j = (i + 1 + (b % (length - 1))) % length;
  return { entries: chain(length), i: Math.min(i, j), j: Math.max(i, j) };
});

describe("ChainVerifier: a chain", () => {
  it("is sound as it was written, from its first entry to its head", () => {
    const entries = chain(40);
    const heads = [head(entries[9] as AuditEntry), head(entries[39] as AuditEntry)];
    expect(check(entries, { heads })).toMatchObject({ entries: 40, faults: [], first: { seq: 1 }, head: { seq: 40 } });
    expect(check([])).toMatchObject({ entries: 0, faults: [] });
  });

  it.each<[string, (entry: AuditEntry) => Partial<AuditEntry>]>([
    ["its time", ({ at }) => ({ at: at + 1 })],
    ["what it is linked to", ({ hash }) => ({ previous: hash })],
    ["its digest", ({ hash }) => ({ digest: hash })],
    ["its hash", ({ digest }) => ({ hash: digest })],
    ["its salt", ({ salt = "" }) => ({ salt: salt.replace(/^./, (c) => (c === "0" ? "1" : "0")) })],
    ["a letter of its event", ({ event = "" }) => ({ event: event.replace("clerk", "cleric") })],
    ["a space in its event", ({ event = "" }) => ({ event: event.replace(":", ": ") })],
    ["whose it is", () => ({ owner: "eve" })],
    ["that it has a salt", () => ({ salt: undefined })],
    ["that it says something", () => ({ event: undefined })],
    ["its event and its digest", ({ salt = "" }) => ({ event: "{}", digest: computeDigest(salt, "{}") })],
  ])("shows of an entry that was changed, in %s, that it was", (_what, change) => {
    fc.assert(
      fc.property(places, ({ entries, i }) => {
        const entry = entries[i] as AuditEntry;
        const changed = entries.with(i, { ...entry, ...change(entry) });
        expect(kinds(changed)).toEqual([`changed ${i + 1}`]);
      }),
    );
  });

  it("shows an entry that was written anew with its hash, unless it is the last: there the head does", () => {
    fc.assert(
      fc.property(places, ({ entries, i }) => {
        const forged = forge(entries[i] as AuditEntry, { event: JSON.stringify(said(999)), owner: OWNERS[0] ?? "" });
        const found = kinds(entries.with(i, forged), { heads: entries.slice(-1).map(head) });
        expect(found).toEqual([i === entries.length - 1 ? `foreign-head ${i + 1}` : `changed ${i + 1}`]);
      }),
    );
  });

  it("shows by any head that was told that all from an entry on was written anew", () => {
    fc.assert(
      fc.property(places, ({ entries, i, j }) => {
        const events = entries.slice(i).map((_, n) => said(500 + n));
        const anew = [...entries.slice(0, i), ...chainEvents(events, { head: entries[i - 1], at: 5 })];
        expect(kinds(anew)).toEqual([]);
        expect(kinds(anew, { heads: [head(entries[j] as AuditEntry)] })).toEqual([`foreign-head ${j + 1}`]);
      }),
    );
  });

  it("names the entries that were taken out", () => {
    fc.assert(
      fc.property(places, ({ entries, i, j }) => {
        const heads = entries.slice(-1).map(head);
        const gone = entries.toSpliced(i, j - i);
        expect(kinds(gone, { heads })).toEqual([j - i > 1 ? `removed ${i + 1}-${j}` : `removed ${i + 1}`]);
      }),
    );
  });

  it("AU-002: names the two whose contents were swapped", () => {
    fc.assert(
      fc.property(places, ({ entries, i, j }) => {
        const [a, b] = [entries[i] as AuditEntry, entries[j] as AuditEntry];
        const swapped = entries.with(i, { ...b, seq: a.seq }).with(j, { ...a, seq: b.seq });
        expect(kinds(swapped)).toEqual([`swapped ${a.seq}`, `swapped ${b.seq}`]);
      }),
    );
  });

  it("AU-002: names one or both of two whose lines were swapped, and none that is not between them", () => {
    fc.assert(
      fc.property(places, ({ entries, i, j }) => {
        const [a, b] = [entries[i] as AuditEntry, entries[j] as AuditEntry];
        const { faults } = check(entries.with(i, b).with(j, a), { heads: entries.slice(-1).map(head) });
        expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(["swapped"]));
        expect(faults.some(({ seq }) => seq === a.seq || seq === b.seq)).toBe(true);
        expect(faults.filter(({ seq }) => seq < a.seq || seq > b.seq)).toEqual([]);
      }),
    );
  });

  it("names an entry that was put in beside another of its number", () => {
    fc.assert(
      fc.property(places, ({ entries, i, j }) => {
        const again = entries.toSpliced(j, 0, entries[i] as AuditEntry);
        expect(kinds(again)).toEqual([`inserted ${i + 1}`]);
      }),
    );
  });

  it("names all that were moved on to make room for one that was put in", () => {
    fc.assert(
      fc.property(places, ({ entries, i }) => {
        const [forged] = chainEvents([said(7)], { head: entries[i - 1], at: 5 });
        const rest = entries.slice(i).map((entry) => ({ ...entry, seq: entry.seq + 1 }));
        const found = check([...entries.slice(0, i), forged as AuditEntry, ...rest]);
        expect(found.faults.map(({ seq }) => seq)).toEqual(rest.map(({ seq }) => seq));
      }),
    );
  });

  it("AU-003: shows by the last head that was told that its end was cut, and where", () => {
    fc.assert(
      fc.property(places, ({ entries, i, j }) => {
        const kept = entries.slice(0, i);
        expect(kinds(kept)).toEqual([]);
        const heads = entries.slice(0, j + 1).map(head);
        expect(kinds(kept, { heads })).toEqual([i === j ? `cut ${i + 1}` : `cut ${i + 1}-${j + 1}`]);
      }),
    );
  });

  it("G23: shows each of these among 10,000 entries", () => {
    const entries = chain(10_000);
    const heads = entries.slice(-1).map(head);
    for (const i of [0, 1, 4_999, 9_997, 9_998]) {
      const [entry, next] = [entries[i] as AuditEntry, entries[i + 1] as AuditEntry];
      const swapped = entries.with(i, { ...next, seq: entry.seq }).with(i + 1, { ...entry, seq: next.seq });
      expect(kinds(entries.with(i, { ...entry, at: entry.at + 1 }), { heads })).toEqual([`changed ${i + 1}`]);
      expect(kinds(entries.toSpliced(i, 1), { heads })).toEqual([`removed ${i + 1}`]);
      expect(kinds(swapped)).toEqual([`swapped ${i + 1}`, `swapped ${i + 2}`]);
      expect(kinds(entries.slice(0, i), { heads })).toEqual([`cut ${i + 1}-10000`]);
    }
  });

  it("cannot be mixed with another one", () => {
    const [mine, other] = [chain(9), chain(9)];
    const mixed = mine.with(4, other[4] as AuditEntry);
    expect(kinds(mixed)).toEqual(["changed 4", "changed 5"]);
    expect(kinds(mine, { heads: other.slice(-1).map(head) })).toEqual(["foreign-head 9"]);
  });

  it("says what no event is where one should be, and heeds no hostile one", () => {
    const hostile = [
      "null",
      "[]",
      '{"type":"erased","owner":"ada","entries":1,"seqs":[[1,2,3]]}',
      '{"type":"cut"}',
      "{",
    ];
    const entries = chain(9);
    for (const event of hostile) {
      const forged = forge(entries[8] as AuditEntry, { event, owner: "" });
      expect(kinds(entries.with(8, forged))).toEqual(["changed 9"]);
    }
    const endless = '{"type":"erased","owner":"ada","entries":1,"seqs":[[1,9007199254740991]]}';
    const emptied = entries.with(0, emptyOf(entries[0] as AuditEntry));
    expect(kinds(emptied.with(8, forge(entries[8] as AuditEntry, { event: endless, owner: "" })))).toEqual([]);
  });
});

describe("ChainVerifier: an entry whose event is gone", () => {
  const entries = chain(12);
  const emptied = entries.with(3, emptyOf(entries[3] as AuditEntry)).with(4, emptyOf(entries[4] as AuditEntry));
  const telling = (...seqs: [number, number][]) =>
    chainEvents([{ type: "erased", owner: "ada", entries: 2, seqs }], { head: entries.at(-1), at: 9_000 });

  it("is sound where a later entry tells that it was erased", () => {
    expect(check([...emptied, ...telling([4, 5])])).toMatchObject({ faults: [], erased: new Map([["ada", 2]]) });
  });

  it("was erased without leave where none does", () => {
    expect(kinds(emptied)).toEqual(["erased 4", "erased 5"]);
    expect(kinds([...emptied, ...telling([1, 3], [5, 5])])).toEqual(["erased 4"]);
  });
});

describe("ChainVerifier: a chain whose beginning was cut away", () => {
  const entries = chain(20);
  const last = entries[7] as AuditEntry;
  const cut = (given: Partial<Extract<AuditEvent, { type: "cut" }>> = {}) =>
    chainEvents([{ type: "cut", through: 8, hash: last.hash, before: 1_010, ...given }], {
      head: entries.at(-1),
      at: 9_000,
    });
  const left = entries.slice(8);

  it("is sound, and says from where on and by which cut, as far as the cut has come", () => {
    expect(check([...left, ...cut()])).toMatchObject({ faults: [], first: { seq: 9 }, cut: { through: 8 } });
    expect(kinds([...entries.slice(5), ...cut()])).toEqual([]);
    expect(kinds([...entries, ...cut()])).toEqual([]);
  });

  it("is not where no cut tells of it, or tells of less or of another entry", () => {
    expect(kinds(left)).toEqual(["removed 1-8"]);
    expect(kinds([...entries.slice(10), ...cut()])).toEqual(["removed 9-10"]);
    expect(kinds([...left, ...cut({ hash: entries[6]?.hash ?? "" })])).toEqual(["changed 9"]);
    expect(kinds([...left, ...cut({ through: 21 })])).toEqual(["removed 1-8"]);
  });

  it("shows by a head that it took what was younger than it says", () => {
    const young = { ...head(entries[5] as AuditEntry), at: 1_010 };
    expect(kinds([...left, ...cut()], { heads: [head(entries[5] as AuditEntry)] })).toEqual([]);
    expect(kinds([...left, ...cut()], { heads: [young] })).toEqual(["removed 6"]);
    expect(kinds([...left, ...cut()], { heads: [{ seq: 8, hash: entries[6]?.hash ?? "" }] })).toEqual([
      "foreign-head 8",
    ]);
  });

  it("may begin anywhere where it is a part, and is still linked to the head before it", () => {
    expect(kinds(left, { isPart: true })).toEqual([]);
    expect(kinds(left, { isPart: true, heads: [head(last)] })).toEqual([]);
    expect(kinds(left, { isPart: true, heads: [{ seq: 8, hash: entries[6]?.hash ?? "" }] })).toEqual([
      "foreign-head 8",
    ]);
    expect(kinds(left.toSpliced(2, 1), { isPart: true })).toEqual(["removed 11"]);
  });
});

/** An entry with another content and all that follows from it. */
function forge(entry: AuditEntry, content: { readonly event: string; readonly owner: string }): AuditEntry {
  const digest = computeDigest(entry.salt ?? "", content.event);
  return { ...entry, ...content, digest, hash: computeEntryHash({ ...entry, digest }) };
}

function emptyOf({ salt, event, ...rest }: AuditEntry): AuditEntry {
  return { ...rest, owner: "" };
}
