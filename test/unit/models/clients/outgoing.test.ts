// Exchanges of every purpose, as the egress is given them.
import { afterAll, describe, expect, it } from "@jest/globals";
import type { Egress, EgressRequest } from "../../../../src/core/ports.ts";
import { UpstreamClient } from "../../../../src/models/clients/UpstreamClient.ts";
import { ServerInfoClient } from "../../../../src/models/discovery/ServerInfoClient.ts";
import { systemClock } from "../../../../src/network/system.ts";
import { createUndiciEgress } from "../../../../src/network/undici/undiciEgress.ts";
import { LIMITS } from "../../../support/defaults.ts";
import { FakeUpstream, whole } from "../../../support/FakeUpstream.ts";
import { drain, modelRequest, streamOf } from "../../../support/modelRequest.ts";
import { haveOneShape } from "../../../support/shapes.ts";

const network = createUndiciEgress({ connectMs: 2_000 });
afterAll(() => network.close());

describe("an exchange with an upstream", () => {
  it("has one shape, whether a model is asked, its server is, or the gateway asks for itself", async () => {
    const sent: EgressRequest[] = [];
    const egress: Egress = {
      send(request, signal) {
        sent.push(request);
        return network.egress.send(request, signal);
      },
    };
    const fake = await FakeUpstream.start(whole(200, "application/json", '{"data":[]}'));
    const upstream = { id: "up", wire: "openai", baseUrl: fake.baseUrl, headers: {} } as const;
    const timeouts = { headersMs: 2_000, firstEventMs: 2_000, idleMs: 2_000 };
    const redact = (text: string): string => text;
    const client = new UpstreamClient({ upstream, egress, timeouts, limits: LIMITS, clock: systemClock, redact });
    const { signal } = new AbortController();
    try {
      await drain(streamOf(client, modelRequest(), signal));
      await drain(streamOf(client, modelRequest({ probe: true }), signal));
      await client.list(signal);
      const questions = new ServerInfoClient({ upstream, egress, clock: systemClock });
      await questions.ask({ method: "GET", path: "/props" });
      await questions.ask({ method: "POST", path: "/api/show", sent: { model: "m-1" } });
    } finally {
      await fake.close();
    }
    const [first, ...others] = sent;
    expect(others).toHaveLength(4);
    for (const other of others) {
      expect(haveOneShape(first, other)).toBe(true);
      expect(haveOneShape(first?.purpose, other.purpose)).toBe(true);
      expect(haveOneShape(first?.purpose.timers, other.purpose.timers)).toBe(true);
    }
  });
});
