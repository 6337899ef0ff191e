import { describe, expect, it } from "@jest/globals";
import { detectAddressKind } from "../../../../src/network/policy/addressKind.ts";

describe("addressKind", () => {
  it.each([
    ...["93.184.216.34", "8.8.8.8", "2606:4700::1111", "2a00:1450:4001:80b::200e"],
    // A public address under the prefix of a translator, and in IPv6 form.
    ...["64:ff9b::5db8:d822", "::ffff:93.184.216.34"],
  ])("takes %s for anybody's", (address) => {
    expect(detectAddressKind(address)).toBe("public");
  });

  it.each([
    ...["127.0.0.1", "127.255.255.254", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1"],
    ...["100.64.0.1", "192.0.2.1", "198.18.0.1", "198.19.255.255", "203.0.113.5", "224.0.0.1", "240.0.0.1"],
    ...[
      "255.255.255.255",
      "::",
      "::1",
      "fc00::1",
      "fd12:3456::1",
      "fec0::1",
      "ff02::1",
      "2001:db8::1",
      "100::1",
      "3fff::1",
    ],
    ...["::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::5db8:d822"],
    ...[
      "::7f00:1",
      "::5db8:d822",
      "::ffff:0:7f00:1",
      "2002:7f00:1::",
      "2002:5db8:d822::1",
      "2001:0:4136:e378::1",
      "4000::1",
    ],
  ])("takes %s for a private network's, or for nobody's", (address) => {
    expect(detectAddressKind(address)).toBe("private");
  });

  it.each([
    ...["169.254.169.254", "169.254.170.2", "168.63.129.16", "100.100.100.200", "192.0.0.192"],
    ...["fe80::1", "fe80::1%eth0", "febf::1", "fd00:ec2::254", "fd20:ce::254"],
    ...["::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "64:ff9b:1::a9fe:a9fe", "::a9fe:a9fe", "2002:a9fe:a9fe::"],
    // Teredo writes the client's address inverted.
    ...["2001:0:4136:e378:8000:63bf:5601:5601"],
    // What no resolver should say leads nowhere.
    ...["", "nowhere", "1.2.3.4.5"],
  ])("takes %j for the platform's own", (address) => {
    expect(detectAddressKind(address)).toBe("platform");
  });
});
