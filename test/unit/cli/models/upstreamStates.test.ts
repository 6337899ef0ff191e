import { describe, expect, it } from "@jest/globals";
import { describeUpstream } from "../../../../src/cli/models/upstreamStates.ts";
import { createFailure, type FailureCode } from "../../../../src/core/failures.ts";
import type { JsonObject } from "../../../../src/core/messages.ts";

const place = "http://h:1/v1";
const failed = (code: FailureCode, details: JsonObject = {}) =>
  describeUpstream({ id: "up", place, models: [], failure: createFailure(code, "The upstream's words.", details) });

describe("an upstream in words", () => {
  it.each([
    [0, "answers, but lists no models"],
    [1, "answers, 1 model"],
    [12, "answers, 12 models"],
  ])("lists %i models", (listed, words) => {
    expect(describeUpstream({ id: "up", place, models: [], listed })).toBe(`${place}: ${words}`);
  });

  it.each<[FailureCode, JsonObject, string]>([
    ["upstream_unavailable", { reason: "ECONNREFUSED" }, "refused the connection"],
    ["upstream_unavailable", { reason: "ENOTFOUND" }, "no such host"],
    ["upstream_unavailable", { reason: "ESOMETHING" }, "The upstream's words."],
    ["upstream_timeout", {}, "did not answer in time"],
    [
      "upstream_unauthorized",
      { status: 401 },
      "answers, but refuses the key (401): see `api_key` or --upstream-key-env",
    ],
    [
      "upstream_forbidden",
      { status: 403 },
      "answers, but refuses the access (403): see `api_key` or --upstream-key-env",
    ],
    [
      "upstream_not_found",
      { status: 404 },
      "answers, but has no list of models (404); names that are asked for are passed on",
    ],
    ["upstream_protocol_error", {}, "answers, but not as an OpenAI-compatible server does"],
    ["upstream_error", { status: 500 }, "The upstream's words."],
  ])("failed with %s %j", (code, details, words) => {
    expect(failed(code, details)).toBe(`${place}: ${words}`);
  });
});
