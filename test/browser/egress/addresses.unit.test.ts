import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAbsoluteTarget, parseAuthority, parseHostRule } from "../../../src/browser/egress/gate.ts";
import { canonicalHost, matchesHostPattern } from "../../../src/lib/hosts.ts";
import { addressKind } from "../../../src/lib/network-address.ts";

const KINDS: Record<string, string> = {
  public: "1.1.1.1 8.8.8.8 93.184.216.34 172.15.0.1 172.32.0.1 100.63.255.255 100.128.0.1 192.167.1.1 223.255.255.255",
  "public ": "2606:4700::1111 2a00:1450:4001::8a 2400:cb00::1 64:ff9b::5db8:d822 64:ff9b::93.184.216.34",
  loopback: "127.0.0.1 127.255.255.254 ::1 0:0:0:0:0:0:0:1 64:ff9b::7f00:1 64:ff9b::127.0.0.1",
  private: "10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1 fc00::1 fd00::2 fdff::1 64:ff9b::a00:1",
  shared: "100.64.0.1 100.127.255.255",
  "link-local": "169.254.0.1 169.254.255.255 fe80::1 febf::1 fe80::1%eth0 ::1%lo",
  metadata: "169.254.169.254 168.63.129.16 100.100.100.200 192.0.0.192 fd00:ec2::254 fd20:ce::254 64:ff9b::a9fe:a9fe",
  multicast: "224.0.0.1 239.255.255.255 ff02::1",
  unspecified: "0.0.0.0 0.1.2.3 :: 64:ff9b::",
  reserved:
    "192.0.2.1 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.7 240.0.0.1 255.255.255.255 192.88.99.1 2001:db8::1",
  "reserved ": "3fff::1 fec0::1 100::1 5f00::1 4000::1 2001:2::1 2001:10::1",
  "embedded-ipv4":
    "::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:7f00:1 ::7f00:1 ::127.0.0.1 ::ffff:0:7f00:1 2002:7f00:1::1 2001::1 64:ff9b:1::1",
  "not-an-address": "localhost 127.1 0x7f.1 2130706433 1.2.3.4.5 :::1 shop.test 127.0.0.1:80 [::1]",
};

describe("the kind of an address", () => {
  it.each(Object.entries(KINDS).flatMap(([kind, list]) => list.split(" ").map((address) => [address, kind.trim()])))(
    "%s is %s",
    (address, kind) => {
      expect(addressKind(address)).toBe(kind);
    },
  );

  it("is the same for an IPv4 address and its NAT64 form, and never public for its mapped form", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(addressKind(`64:ff9b::${address}`)).toBe(addressKind(address));
        expect(addressKind(`::ffff:${address}`)).toBe("embedded-ipv4");
      }),
    );
  });

  it("is never public outside the global unicast range of IPv6", () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const isGlobal = /^[23]/.test(address) && /^[0-9a-f]{4}:/.test(address);
        if (!isGlobal && !address.startsWith("64:ff9b:")) expect(addressKind(address)).not.toBe("public");
      }),
    );
  });
});

const SPELLINGS = [
  ["127.0.0.1", "127.0.0.1"],
  ["2130706433", "127.0.0.1"],
  ["0x7f000001", "127.0.0.1"],
  ["0x7f.1", "127.0.0.1"],
  ["0177.0.0.1", "127.0.0.1"],
  ["017700000001", "127.0.0.1"],
  ["127.1", "127.0.0.1"],
  ["127.0.0.1.", "127.0.0.1"],
  ["１２７.0.0.1", "127.0.0.1"],
  ["①②⑦.⓪.⓪.①", "127.0.0.1"],
  ["127。0。0。1", "127.0.0.1"],
  ["0", "0.0.0.0"],
  ["[::1]", "::1"],
  ["[0:0:0:0:0:0:0:1]", "::1"],
  ["[::ffff:127.0.0.1]", "::ffff:7f00:1"],
  ["[::FFFF:7F00:1]", "::ffff:7f00:1"],
  ["LocalHost", "localhost"],
  ["localhost.", "localhost"],
  ["ⓛocalhost", "localhost"],
  ["Shop.Example.", "shop.example"],
  ["bücher.example", "xn--bcher-kva.example"],
  ["my_host.shop.example", "my_host.shop.example"],
  ["", null],
  [".", null],
  ["a..example", null],
  ["shop.example..", null],
  ["256.1.1.1", null],
  ["1.2.3.4.5", null],
  ["::1", null],
  ["[::1", null],
  ["[fe80::1%25eth0]", null],
  ["[v1.x]", null],
  ["good.example@evil.example", null],
  ["evil.example/good.example", null],
  ["evil.example#good.example", null],
  ["evil.example?good.example", null],
  ["evil.example\\good.example", null],
  ["good.example:80", null],
  ["good.example evil.example", null],
  ["good.example\tevil.example", null],
  ["%6c%6fcalhost", null],
  ["*.shop.example", null],
  ["-a.example", null],
  [`${"a".repeat(64)}.example`, null],
  [`${"a.".repeat(130)}example`, null],
] as const;

describe("the canonical form of a host", () => {
  it.each(SPELLINGS)("of %j is %j", (text, expected) => {
    expect(canonicalHost(text)).toBe(expected);
  });

  it("is its own canonical form", () => {
    for (const [, canonical] of SPELLINGS) {
      if (canonical !== null)
        expect(canonicalHost(canonical.includes(":") ? `[${canonical}]` : canonical)).toBe(canonical);
    }
  });
});

describe("the target of a request", () => {
  it.each([
    ["shop.example:443", { host: "shop.example", port: 443 }],
    ["[::1]:4010", { host: "::1", port: 4010 }],
    ["2130706433:80", { host: "127.0.0.1", port: 80 }],
    ["shop.example", null],
    ["shop.example:0", null],
    ["shop.example:65536", null],
    ["shop.example:443:443", null],
    ["https://shop.example:443", null],
    ["::1:80", null],
    [":80", null],
  ])("CONNECT %s means %j", (authority, expected) => {
    expect(parseAuthority(authority)).toEqual(expected);
  });

  it.each([
    ["http://shop.example", { host: "shop.example", port: 80, path: "/" }],
    ["http://Shop.Example:8080/a?b=c", { host: "shop.example", port: 8080, path: "/a?b=c" }],
    ["http://good.example@evil.example/", { host: "evil.example", port: 80, path: "/" }],
    ["http://evil.example\\@good.example/", { host: "evil.example", port: 80, path: "/@good.example/" }],
    ["http://[::1]:4010/", { host: "::1", port: 4010, path: "/" }],
    ["https://shop.example/", null],
    ["ftp://shop.example/", null],
    ["ws://shop.example/", null],
    ["file:///etc/passwd", null],
    ["/", null],
    ["*", null],
    ["//shop.example/", null],
    ["shop.example:80", null],
  ])("GET %s means %j", (target, expected) => {
    expect(parseAbsoluteTarget(target)).toEqual(expected);
  });
});

describe("a rule", () => {
  it.each([
    ["shop.example", "shop.example:80 shop.example:443", "shop.example:8080 www.shop.example:443 xshop.example:443"],
    ["*.shop.example", "www.shop.example:443 a.b.shop.example:80", "shop.example:443 evilshop.example:443"],
    ["shop.example:8080", "shop.example:8080", "shop.example:80 shop.example:443"],
    ["*.shop.example:8080", "www.shop.example:8080", "shop.example:8080 www.shop.example:443"],
    ["127.0.0.1:4010", "127.0.0.1:4010 2130706433:4010", "127.0.0.1:80 127.0.0.2:4010 localhost:4010"],
    ["[::1]:4010", "[::1]:4010 [0::1]:4010", "127.0.0.1:4010 [::1]:80"],
    ["BÜCHER.example.", "xn--bcher-kva.example:443", "bucher.example:443"],
    ["example", "example:80", "shop.example:80"],
  ])("%s means %s and not %s", (rule, inside, outside) => {
    const match = (authority: string) => {
      const destination = parseAuthority(authority);
      return destination !== null && matchesHostPattern([parseHostRule(rule)], destination);
    };
    expect(inside.split(" ").filter((authority) => !match(authority))).toEqual([]);
    expect(outside.split(" ").filter(match)).toEqual([]);
  });

  it.each(["", "*", "*.", "*.127.0.0.1", "*.[::1]", "a.*.example", "http://shop.example", "shop.example/", "::1"])(
    "is not %j",
    (text) => {
      expect(() => parseHostRule(text)).toThrow(`"${text}" is not a host`);
    },
  );

  it.each(["shop.example:0", "shop.example:65536", "shop.example:http", "shop.example:"])("is not %j", (text) => {
    expect(() => parseHostRule(text)).toThrow("is not a host");
  });
});
