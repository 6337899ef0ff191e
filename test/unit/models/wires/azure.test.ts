// What the wire `azure` wants of an address, and how it finds an address again in a URL.
import { describe, expect, it } from "@jest/globals";
import { validateAddress, wireOfUrl } from "../../../../src/models/wires/registry.ts";

const HOST = "https://team.openai.azure.com";

describe("an address of Azure", () => {
  it.each([
    [{ baseUrl: HOST, apiVersion: "2024-10-21" }, "base_url", "up to and with /openai"],
    [{ baseUrl: `${HOST}/openai` }, "api_version", "only a `base_url` that ends with /v1 does without"],
  ])("%j is refused, and it is said what is missing", (address, key, words) => {
    const message = expect.stringContaining(words);
    expect(validateAddress({ wire: "azure", ...address })).toEqual({ key, message });
  });

  it.each([
    [{ baseUrl: `${HOST}/openai`, apiVersion: "2024-10-21" }],
    [{ baseUrl: `${HOST}/openai/v1`, deployment: "a" }],
    [{ baseUrl: "https://gateway.example/azure/openai/v1", apiVersion: "preview" }],
  ])("%j is taken", (address) => {
    expect(validateAddress({ wire: "azure", ...address })).toBeUndefined();
  });

  it.each([
    [{ deployment: "a" }, "deployment"],
    [{ apiVersion: "v1" }, "api_version"],
  ])("is none on another wire: %j", (address, key) => {
    const message = "expected nothing: the wire `openai` has no place for it";
    expect(validateAddress({ wire: "openai", baseUrl: `${HOST}/openai/v1`, ...address })).toEqual({ key, message });
  });
});

describe("a URL", () => {
  it.each([
    [
      `${HOST}/openai/deployments/a%20b/chat/completions?api-version=2024-10-21`,
      { wire: "azure", baseUrl: `${HOST}/openai`, deployment: "a b", apiVersion: "2024-10-21" },
    ],
    [
      `${HOST}/openai/v1/chat/completions?api-version=preview`,
      { wire: "azure", baseUrl: `${HOST}/openai/v1`, apiVersion: "preview" },
    ],
    [`${HOST}/openai/v1/chat/completions`, { wire: "openai", baseUrl: `${HOST}/openai/v1` }],
  ])("%s is of this address", (url, address) => {
    expect(wireOfUrl(url)).toEqual(address);
  });
});
