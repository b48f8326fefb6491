import { describe, expect, it } from "vitest";
import { isGraphqlQuery, isNamedAsRead } from "../../../src/browser/session/read-request.ts";

const URL_OF_API = "https://shop.example/api/v1";

function graphql(query: string, operationName?: string) {
  return { url: URL_OF_API, body: JSON.stringify({ query, operationName }), contentType: "application/json" };
}

describe("GraphQL that only queries", () => {
  it.each([
    ["a short form", "{ orders { id } }"],
    ["a named query", "query Orders($filter: Filter = { open: true }) { orders(filter: $filter) { id } }"],
    ["a directive", "query Orders @cached { orders { id } }"],
    ["fragments before it", "fragment Line on Order { id }\nquery { orders { ...Line } }"],
    ["the word in a comment", "# mutation { pay }\nquery { orders { id } }"],
    ["the word in a string", '{ search(text: "} mutation { pay") { id } }'],
  ])("%s", (_, query) => {
    expect(isGraphqlQuery(graphql(query))).toBe(true);
  });

  it("reads the operation that is named, of several", () => {
    const document = "query Orders { orders { id } } mutation Pay { pay }";
    expect(isGraphqlQuery(graphql(document, "Orders"))).toBe(true);
    expect(isGraphqlQuery(graphql(document, "Pay"))).toBe(false);
    expect(isGraphqlQuery(graphql(document))).toBe(false);
    expect(isGraphqlQuery(graphql(document, "Other"))).toBe(false);
  });

  it.each([
    ["a mutation", "mutation { pay }"],
    ["a mutation over several lines", "mutation\n  Pay\n{ pay }"],
    ["a mutation after a query", "{ orders { id } }mutation{ pay }"],
    ["a subscription", "subscription { orders { id } }"],
    ["braces that do not match", "{ orders { id } } }"],
    ["only a fragment", "fragment Line on Order { id }"],
    ["no text", ""],
  ])("not %s", (_, query) => {
    expect(isGraphqlQuery(graphql(query))).toBe(false);
  });

  it("a batch only if each of it queries", () => {
    const batch = (...queries: string[]) => ({
      url: URL_OF_API,
      body: JSON.stringify(queries.map((query) => ({ query }))),
      contentType: "application/json",
    });
    expect(isGraphqlQuery(batch("{ a }", "query { b }"))).toBe(true);
    expect(isGraphqlQuery(batch("{ a }", "mutation { b }"))).toBe(false);
    expect(isGraphqlQuery(batch())).toBe(false);
  });

  it("a stored query tells nothing", () => {
    const body = JSON.stringify({ operationName: "Orders", extensions: { persistedQuery: { version: 1 } } });
    expect(isGraphqlQuery({ url: URL_OF_API, body, contentType: "application/json" })).toBe(false);
  });
});

describe("requests that are named as reads", () => {
  const call = (body: unknown, url = URL_OF_API) => ({
    url,
    body: JSON.stringify(body),
    contentType: "application/json",
  });

  it.each([
    ["getEntry", { action: "getEntry" }],
    ["wp.getPosts", { jsonrpc: "2.0", method: "wp.getPosts", params: [] }],
    ["GetItem", { operation: "GetItem" }],
    ["list_orders", { cmd: "list_orders" }],
    ["entriesByFolder", { action: "entriesByFolder" }],
    ["torrent-get", { method: "torrent-get", arguments: { fields: ["id"] } }],
    ["userFetch", { action: "userFetch" }],
  ])("%s in the body", (_, body) => {
    expect(isNamedAsRead(call(body))).toBe(true);
  });

  it.each(["_search", "getOrders", "orders/search/", "list-orders"])("%s in the path", (path) => {
    expect(isNamedAsRead(call({ text: "x" }, `https://shop.example/api/${path}?page=2`))).toBe(true);
  });

  it.each([
    ["persistEntry", { action: "persistEntry" }],
    ["getOrCreate", { action: "getOrCreate" }],
    ["findOneAndUpdate", { method: "findOneAndUpdate" }],
    ["getaway", { action: "getaway" }],
    ["deleteByQuery", { action: "deleteByQuery" }],
    ["reset-get", { method: "reset-get" }],
    ["torrentForget", { method: "torrentForget" }],
    ["torrent-get-and-set", { method: "torrent-get-and-set" }],
    ["mail-list", { method: "mail-list" }],
    ["dismissByUser", { action: "dismissByUser" }],
    ["a batch with a change", [{ method: "orders.get" }, { method: "orders.delete" }]],
    ["a batch with a nameless call", [{ method: "orders.get" }, { id: 1 }]],
    ["a mutation at a path named query", { query: "mutation { pay }", operationName: "getAll", method: "pay" }],
  ])("not %s", (_, body) => {
    expect(isNamedAsRead(call(body))).toBe(false);
  });

  it.each(["orders", "query", "find-and-buy", "viewers/add", "listing", "payments-by-card"])(
    "not the path %s",
    (path) => {
      expect(isNamedAsRead(call({ text: "x" }, `https://shop.example/${path}`))).toBe(false);
    },
  );

  it("what the body names counts, and not the path", () => {
    expect(isNamedAsRead(call({ action: "delete" }, "https://shop.example/api/search"))).toBe(false);
  });
});
