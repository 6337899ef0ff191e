import { describe, expect, it } from "@jest/globals";
import { createHostPolicy, isAllowEntry } from "../../../../src/network/policy/hostPolicy.ts";

const PUBLIC = "93.184.216.34";

describe("a name that was written", () => {
  it.each([
    "ollama",
    "LOCALHOST",
    "nas.local",
    "db.internal.",
    "vllm.models.svc",
    "a.svc.cluster.local",
    "pc.home.arpa",
  ])("may lead to a private address where it says that it is one of a private network: %s", (name) => {
    expect(createHostPolicy([]).resolvedFault(name, ["10.0.0.7", "::1"])).toBeUndefined();
  });

  it.each(["api.example.com", "internal.example.com", "local.evil.test", "localhost.evil.test"])(
    "leads to public addresses alone where it does not: %s",
    (name) => {
      const { resolvedFault } = createHostPolicy([]);
      expect(resolvedFault(name, [PUBLIC])).toBeUndefined();
      expect(resolvedFault(name, ["10.0.0.7"])).toContain("egress.allow");
    },
  );

  it("is refused whole for one bad address among good ones, in whatever order (SD-004)", () => {
    const { resolvedFault } = createHostPolicy([]);
    expect(resolvedFault("multi.evil.test", [PUBLIC, "127.0.0.1"])).toContain("multi.evil.test");
    expect(resolvedFault("multi.evil.test", ["127.0.0.1", PUBLIC])).toContain("multi.evil.test");
  });

  it("may lead where egress.allow says, by its name or by the network", () => {
    const { resolvedFault } = createHostPolicy(["Models.Example.com", "10.2.0.0/16", "fd12::/32", "192.168.1.5"]);
    expect(resolvedFault("models.example.com.", ["172.16.0.1"])).toBeUndefined();
    expect(
      resolvedFault("other.example.com", ["10.2.3.4", "fd12::1", "192.168.1.5", "::ffff:10.2.3.4"]),
    ).toBeUndefined();
    expect(resolvedFault("other.example.com", ["10.3.0.1"])).toBeDefined();
    expect(resolvedFault("other.example.com", ["192.168.1.6"])).toBeDefined();
  });

  it("never leads to the platform, whatever its name and whoever allows it or all networks", () => {
    const { resolvedFault } = createHostPolicy(["metadata.google.internal", "0.0.0.0/0", "::/0", "169.0.0.0/8"]);
    for (const address of ["169.254.169.254", "fe80::1", "100.100.100.200", "::ffff:169.254.169.254"])
      expect(resolvedFault("metadata.google.internal", [address])).toContain("of its cloud");
  });

  it("leads to the platform where egress.allow has just that address or a network of the platform", () => {
    const { resolvedFault } = createHostPolicy(["169.254.169.254", "fe80::/10"]);
    expect(resolvedFault("metadata.internal", ["169.254.169.254", "fe80::1"])).toBeUndefined();
    expect(resolvedFault("metadata.internal", ["169.254.170.2"])).toBeDefined();
  });

  it("never says where it leads, for whoever asked may be no friend", () => {
    expect(createHostPolicy([]).resolvedFault("x.evil.test", ["10.11.12.13"])).not.toContain("10.11");
  });
});

describe("an address that was written", () => {
  it.each(["127.0.0.1", "[::1]", "10.0.0.1", "localhost", "metadata.google.internal", "example.com"])(
    "may be dialled, or its addresses say it: %s",
    (host) => {
      expect(createHostPolicy([]).writtenFault(host)).toBeUndefined();
    },
  );

  it.each(["169.254.169.254", "[fe80::1]", "168.63.129.16", "[::ffff:a9fe:a9fe]"])(
    "may not be the platform's, unless it is allowed: %s",
    (host) => {
      expect(createHostPolicy(["0.0.0.0/0", "::/0"]).writtenFault(host)).toContain("write it into egress.allow");
      expect(createHostPolicy([host.replace(/[[\]]/g, "")]).writtenFault(host)).toBeUndefined();
    },
  );
});

describe("egress.allow", () => {
  it.each(["ollama", "models.example.com", "10.0.0.0/8", "192.168.1.1", "fd12::/32", "::1"])("takes %s", (entry) => {
    expect(isAllowEntry(entry)).toBe(true);
  });

  it.each(["", "http://x", "x:80", "*.example.com", "10.0.0.0/33", "10.0.0.300", "a b", "[::1]", "x/y", "-x"])(
    "does not take %j",
    (entry) => {
      expect(isAllowEntry(entry)).toBe(false);
    },
  );
});
