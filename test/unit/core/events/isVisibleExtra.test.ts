import { describe, expect, it } from "@jest/globals";
import { isVisibleExtra } from "../../../../src/core/events/isVisibleExtra.ts";
import type { JsonObject } from "../../../../src/core/messages.ts";

const shown = (fields: JsonObject) => isVisibleExtra({ level: "delta", fields });

describe("what a reader is shown beside the text", () => {
  it("is a refusal, a picture or a voice of the message", () => {
    expect([{ refusal: "No." }, { images: [1] }, { audio: { id: "a" } }].map(shown)).toEqual([true, true, true]);
  });

  it("is nothing where such a field says nothing, and no other field", () => {
    const silent = [{ refusal: null }, { refusal: "" }, { images: [] }, { annotations: [1] }, {}];
    expect(silent.map(shown)).toEqual([false, false, false, false, false]);
    expect(isVisibleExtra({ level: "choice", fields: { refusal: "No." } })).toBe(false);
  });
});
