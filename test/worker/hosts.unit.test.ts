import { describe, expect, it } from "vitest";
import { intersectHostPatterns, isOnHosts } from "../../src/lib/hosts.ts";
import { listRunHosts } from "../../src/worker/run-hosts.ts";

const SILENT = { allowedHosts: [], homeUrl: null, signInUrl: null, access: "all" } as const;

describe("the hosts that a run may visit", () => {
  it.each([
    [
      "those that the owner has allowed",
      { allowedHosts: ["a.example", "*.b.example"] },
      "",
      null,
      ["a.example", "*.b.example"],
    ],
    [
      "those of the home page",
      { homeUrl: "https://Shop.example/start" },
      "",
      null,
      ["shop.example", "www.shop.example"],
    ],
    ["that of the home page, on its port only", { homeUrl: "http://127.0.0.1:4010/" }, "", null, ["127.0.0.1:4010"]],
    ["those of the sign-in page", { signInUrl: "https://id.example/in" }, "", null, ["id.example", "www.id.example"]],
    [
      "those of both, each once",
      { allowedHosts: ["a.example"], homeUrl: "https://www.a.example/" },
      "",
      null,
      ["a.example", "www.a.example"],
    ],
    [
      "none of the caller's, when the owner has configured some",
      { homeUrl: "https://a.example" },
      "Open https://b.example",
      "https://c.example",
      ["a.example", "www.a.example"],
    ],
    [
      "that of the start URL, when the owner has configured none",
      {},
      "Look.",
      "https://c.example/x",
      ["c.example", "www.c.example"],
    ],
    [
      "those in the prompt, too",
      {},
      "Open https://a.example/x?y=1, then (http://b.example:8080).",
      "https://c.example",
      ["c.example", "www.c.example", "a.example", "www.a.example", "b.example:8080"],
    ],
    [
      "those in the prompt at the end of a sentence or in quotes",
      {},
      'See "https://a.example". Or https://[::1]:81/!',
      null,
      ["a.example", "www.a.example", "[::1]:81"],
    ],
    [
      "none for text that is not a web URL",
      {},
      "ftp://a.example javascript:alert(1) https:// http://%/ example.com",
      null,
      [],
    ],
    ["none", {}, "Look around.", null, []],
  ])("are %s", (_name, rules, prompt, startUrl, hosts) => {
    expect(listRunHosts({ ...SILENT, allowedHosts: [], ...rules }, { prompt, startUrl })).toEqual(hosts);
  });

  it.each([
    [["shop.example"], "https://shop.example/x", true],
    [["shop.example"], "http://SHOP.example./", true],
    [["shop.example"], "https://www.shop.example/", false],
    [["*.shop.example"], "https://www.shop.example/", true],
    [["*.shop.example"], "https://shop.example/", false],
    [["shop.example"], "https://shop.example:8443/", false],
    [["127.0.0.1:4010"], "http://2130706433:4010/", true],
    [["shop.example"], "https://shop.example@evil.example/", false],
    [["shop.example"], "file:///etc/passwd", false],
    [[], "https://shop.example/", false],
  ])("%j include %s: %s", (hosts, address, expected) => {
    expect(isOnHosts(hosts, address)).toBe(expected);
  });
});

describe("hosts on both of two lists", () => {
  it.each([
    [["a.example", "b.example"], ["b.example", "c.example"], ["b.example"]],
    [["*.a.example"], ["x.a.example", "a.example"], ["x.a.example"]],
    [["*.a.example"], ["*.b.a.example"], ["*.b.a.example"]],
    [["*.a.example"], ["*.a.example"], ["*.a.example"]],
    [["*.a.example"], ["*.ba.example", "*.example"], ["*.a.example"]],
    [["a.example"], ["*.a.example"], []],
    [["127.0.0.1:8080"], ["127.0.0.1:8081"], []],
    [["127.0.0.1:8080"], ["127.0.0.1", "127.0.0.1:8080"], ["127.0.0.1:8080"]],
    [["a.example:443"], ["a.example"], ["a.example:443"]],
    [["[::1]:9000", "[::1]"], ["[0:0:0:0:0:0:0:1]:9000"], ["[::1]:9000"]],
    [["not a host"], ["not a host"], []],
  ])("of %j and %j are %j", (some, others, both) => {
    expect(intersectHostPatterns(some, others)).toEqual(both);
    expect(intersectHostPatterns(others, some)).toEqual(both);
  });
});
