import { expect, test } from "vitest";
import { LongPolls } from "../../src/browser/session/long-polls.ts";

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

test("a request for news is awaited for a short time once a wait for one was in vain", () => {
  const polls = new LongPolls();
  expect(polls.isOne(request(`${NEWS}1`), 60_000)).toBe(false);
  polls.learn([request(`${NEWS}1`)], 5_000);
  const next = request(`${NEWS}2`, { startedMs: 10_000 });
  expect(polls.isOne(next, 10_500)).toBe(false);
  expect(polls.isOne(next, 12_000)).toBe(true);
  expect(polls.isOne(request("https://sync.example/folders", { startedMs: 10_000 }), 60_000)).toBe(false);
});

test.each([
  ["began late", { startedMs: 4_000 }],
  ["has a response that is still coming in", { respondedMs: 500 }],
  ["is a document", { resourceType: "document" }],
  ["may change something", { method: "POST" }],
])("a request that %s is no request for news", (_, more) => {
  const polls = new LongPolls();
  polls.learn([request(`${NEWS}1`, more)], 5_000);
  expect(polls.isOne(request(`${NEWS}1`, { ...more, startedMs: 10_000 }), 60_000)).toBe(false);
});
