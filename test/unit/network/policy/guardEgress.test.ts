import { describe, expect, it } from "@jest/globals";
import type { Egress } from "../../../../src/core/ports.ts";
import { guardEgress } from "../../../../src/network/policy/guardEgress.ts";
import { createHostPolicy } from "../../../../src/network/policy/hostPolicy.ts";
import { exchange } from "../../../support/network/fakeServer.ts";

const never = new AbortController().signal;

function guarded(): { egress: Egress; dialled: string[] } {
  const dialled: string[] = [];
  const inner: Egress = {
    async send(request) {
      dialled.push(request.url);
      return { status: 200, headers: {}, body: (async function* () {})() };
    },
  };
  return { egress: guardEgress(inner, { origins: ["http://models.test:8000/v1", "https://api.tools.test"] }), dialled };
}

describe("guardEgress", () => {
  it.each([
    "http://models.test:8000/v1/chat/completions",
    "https://api.tools.test/x?y=z",
    "https://api.tools.test:443/",
    "HTTP://MODELS.TEST:8000/",
  ])("dials %s, whose origin the operator wrote", async (url) => {
    const { egress, dialled } = guarded();
    await egress.send(exchange(url), never);
    expect(dialled).toEqual([url]);
  });

  it.each([
    "http://169.254.169.254/latest/meta-data/",
    "http://models.test/v1",
    "https://models.test:8000/v1",
    "http://models.test:8000@evil.test/",
    "http://models.test:8000.evil.test/",
    "http://evil.test/#http://models.test:8000",
    "http://user:secret@models.test:8000/v1",
    "file:///etc/passwd",
    "not a url",
  ])("refuses %s for models and tools alike, and does not dial", async (url) => {
    const { egress, dialled } = guarded();
    for (const kind of ["model", "tool"] as const) {
      const sent = egress.send(exchange(url, { kind }), never);
      await expect(sent).rejects.toMatchObject({ failure: { code: "egress_refused" } });
    }
    expect(dialled).toEqual([]);
  });

  it("refuses an address of the platform although it is written, unless it is allowed", async () => {
    const url = "http://169.254.169.254/latest/";
    const inner: Egress = { send: async () => ({ status: 200, headers: {}, body: (async function* () {})() }) };
    const refused = guardEgress(inner, { origins: [url] }).send(exchange(url), never);
    await expect(refused).rejects.toMatchObject({ failure: { code: "egress_refused" } });
    const allowed = guardEgress(inner, { origins: [url] }, createHostPolicy(["169.254.169.254"])).send(
      exchange(url),
      never,
    );
    await expect(allowed).resolves.toMatchObject({ status: 200 });
  });

  it("never names the credentials that it refuses", async () => {
    const { egress } = guarded();
    const error = await egress
      .send(exchange("http://user:hunter22@models.test:8000/"), never)
      .catch((caught) => caught);
    expect(String(error)).not.toContain("hunter22");
  });
});
