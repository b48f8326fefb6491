import { expect, test } from "vitest";
import { LongPolls } from "../../../src/browser/session/long-polls.ts";

type Polled = Parameters<LongPolls["isOne"]>[0];

function request(url: string, more: Partial<Polled> = {}): Polled {
  return {
    method: "GET",
    url,
    resourceType: "xhr",
    startedMs: 0,
    respondedMs: null,
    status: null,
    failure: null,
    ...more,
  };
}

const NEWS = "https://sync.example/events?since=";

/** Two waits in vain, one after the other. */
function learn(polls: LongPolls, url: string, more: Partial<Polled> = {}): void {
  polls.learn([request(`${url}1`, more)], 5_000);
  polls.learn([request(`${url}2`, { startedMs: 6_000, ...more })], 11_000);
}

test("a request for news is awaited for a short time once two waits for one were in vain", () => {
  const polls = new LongPolls();
  expect(polls.isOne(request(`${NEWS}1`), 60_000)).toBe(false);
  learn(polls, NEWS);
  const next = request(`${NEWS}3`, { startedMs: 20_000 });
  expect(polls.isOne(next, 20_500)).toBe(false);
  expect(polls.isOne(next, 22_000)).toBe(true);
  expect(polls.isOne(request("https://sync.example/folders", { startedMs: 20_000 }), 60_000)).toBe(false);
});

test("one slow response is no request for news, however often it is awaited", () => {
  const polls = new LongPolls();
  polls.learn([request(`${NEWS}1`)], 5_000);
  polls.learn([request(`${NEWS}1`), request(`${NEWS}1`)], 10_000);
  expect(polls.isOne(request(`${NEWS}2`, { startedMs: 20_000 }), 60_000)).toBe(false);
});

test("an address that is answered soon is awaited as any other again", () => {
  const polls = new LongPolls();
  learn(polls, NEWS);
  polls.forgetAnswered([request(`${NEWS}3`, { startedMs: 20_000, respondedMs: 22_000 })]);
  const next = request(`${NEWS}4`, { startedMs: 30_000 });
  expect(polls.isOne(next, 60_000)).toBe(true);
  polls.forgetAnswered([request(`${NEWS}3`, { startedMs: 20_000, respondedMs: 20_100 })]);
  expect(polls.isOne(next, 60_000)).toBe(false);
});

test("the words of a query say what is asked for", () => {
  const polls = new LongPolls();
  learn(polls, "https://sync.example/api?m=report&run=");
  const ask = (query: string) => request(`https://sync.example/api?${query}`, { startedMs: 20_000 });
  expect(polls.isOne(ask("m=report&run=3"), 60_000)).toBe(true);
  expect(polls.isOne(ask("m=list&run=3"), 60_000)).toBe(false);
});

test.each([
  ["began late", { startedMs: 4_000 }],
  ["has a response that is still coming in", { respondedMs: 500 }],
  ["is a document", { resourceType: "document" }],
  ["may change something", { method: "POST" }],
])("a request that %s is no request for news", (_, more) => {
  const polls = new LongPolls();
  polls.learn([request(`${NEWS}1`, more)], 5_000);
  polls.learn([request(`${NEWS}2`, { startedMs: 6_000, ...more })], 6_500);
  expect(polls.isOne(request(`${NEWS}3`, { ...more, startedMs: 20_000 }), 60_000)).toBe(false);
});
