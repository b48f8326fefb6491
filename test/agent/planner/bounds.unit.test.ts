import { describe, expect, test } from "vitest";
import { makeClaim } from "../../../src/agent/planner/model/claims.ts";
import { Evidence, formsOf, groundFact } from "../../../src/agent/planner/model/evidence.ts";
import { checkCall } from "../../../src/agent/planner/model/handle-response.ts";
import { KnownUrls } from "../../../src/agent/planner/model/known-urls.ts";
import { History, Notebook } from "../../../src/agent/planner/model/memory.ts";
import { buildTurnParts, describeChanges, describeTask } from "../../../src/agent/planner/model/prompt.ts";
import { Fence, maskUrl, redactUrl } from "../../../src/agent/safe-text.ts";
import { TaskSecrets } from "../../../src/agent/task-secrets.ts";
import { node, observation, report } from "../../_harness/observed.ts";

const KEY = "q7Xb2mZ9kLw4Tn8vRc1Yd6";
const KEYED = `https://shop.example/orders?page=2&token=${KEY}`;
const MASKED = "https://shop.example/orders?page=2&token=…";
const task = { prompt: "List my orders.", startUrl: KEYED, outputSchema: null, now: new Date("2026-03-11T10:00:00Z") };

describe("a URL", () => {
  test.each([
    [KEYED, MASKED],
    [`https://shop.example/?q=${KEY}`, "https://shop.example/?q=…"],
    ["https://shop.example/?id=123e4567-e89b-12d3-a456-426614174000", "https://shop.example/?id=…"],
    [`https://shop.example/a;jsessionid=8A21F3?x=1`, "https://shop.example/a;jsessionid=…?x=1"],
    ["https://shop.example/#access_token=abcdef&x=1", "https://shop.example/#access_token=…&x=1"],
    ["https://jo:hunter2@shop.example/a", "https://shop.example/a"],
  ])("%s is shown as %s", (address, told) => {
    expect(maskUrl(address)).toBe(told);
  });

  test.each([
    "https://shop.example/search?q=stainless-steel-kettle-2024-edition&sort_key=price",
    "https://shop.example/?country_code=DE&page=2#reviews",
    "https://shop.example/?q=antidisestablishmentarianism",
    "mailto:jo@example.com",
  ])("%s is shown unchanged", (address) => {
    expect(maskUrl(address)).toBe(address);
  });

  test("with a key in it appears in no prompt of the planner", () => {
    const page = observation(KEYED, [node("link", "Next", { ref: "e1", url: KEYED })], {
      tabs: [1, 2].map((id) => ({ id: `t${id}`, url: KEYED, title: "", isCurrent: id === 1 })),
    });
    const moved = report("click", { label: "Next" }, { urlAfter: KEYED });
    const history = new History();
    history.add(report("goto", { url: KEYED }));
    const fence = new Fence();
    const parts = buildTurnParts({
      fence,
      turn: {
        observation: page,
        reports: [moved],
        spent: 0,
        stepsLeft: 9,
        takeScreenshot: async () => null,
        signal: new AbortController().signal,
      },
      notebook: new Notebook(),
      history,
      extracted: null,
      objection: null,
      predecessor: null,
      remarks: [],
      tried: [],
      isLast: false,
      screenshot: null,
    });
    const told = JSON.stringify([parts, describeTask(task, [], KEYED, new TaskSecrets(task.prompt), fence)]);
    expect(told).toContain(`url: ${MASKED}`);
    expect(told).toContain(`It starts at ${MASKED}.`);
    expect(told).not.toContain(KEY.slice(0, 8));
  });

  test("with a masked key still leads to the original page", () => {
    const page = observation("https://shop.example/a", [
      node("link", "Partner", { ref: "e1", url: `https://partner.example/in?sid=${KEY}` }),
    ]);
    const urls = new KnownUrls(task.prompt, KEYED);
    urls.observe(page);
    const check = (url: string) =>
      checkCall({ tool: "goto", input: { url } }, { observation: page, urls, secrets: new TaskSecrets(task.prompt) });
    expect(check(MASKED)).toMatchObject({ kind: "accepted", call: { input: { url: KEYED } } });
    expect(check("/orders?page=2&token=…")).toMatchObject({ kind: "accepted", call: { input: { url: KEYED } } });
    expect(check(KEYED)).toMatchObject({ kind: "accepted", call: { input: { url: KEYED } } });
    expect(check("https://partner.example/in?sid=…")).toMatchObject({
      call: { input: { url: `https://partner.example/in?sid=${KEY}` } },
    });
    expect(check("https://partner.example/out?sid=…")).toMatchObject({
      kind: "rejected",
      why: expect.stringContaining("Click a link"),
    });
  });

  test("is truncated when it is shown to people", () => {
    expect(redactUrl(`https://shop.example/${"a".repeat(5_000)}`)).toMatch(/^https:\/\/shop\.example\/a{278}…$/);
  });
});

describe("a model's statement", () => {
  const evidence = new Evidence();
  evidence.observe(observation("https://shop.example/a", [node("text", "It’s €64.90 today")]), []);
  const grounds = { task, evidence, notebook: new Notebook(), entered: [], extraction: null, hasActed: false };
  const fact = { about: "price", value: "€64.90", quote: "it's €64.90" };

  test("is searched for in a few forms, however many pieces it has", () => {
    expect(formsOf("€64.90 | today")).toEqual(["€64.90 | today", "€64.90", "today"]);
    expect(formsOf("a | ".repeat(4_000)).length).toBeLessThanOrEqual(20);
    expect(formsOf(Array.from({ length: 4_000 }, (_, index) => index).join("|"))).toHaveLength(20);
    expect(formsOf(`a${" ".repeat(20_000)}b`)).toEqual(["a"]);
  });

  test("is refused when it is longer than a line of a page can be", () => {
    const quote = `it's €64.90${" ".repeat(20_000)}`;
    expect(groundFact({ ...fact, quote }, evidence)).toMatchObject({
      kind: "rejected",
      why: expect.stringContaining("too long"),
    });
  });

  test("is refused when it cites more than anyone needs", () => {
    const claimOf = (count: number) =>
      makeClaim({ answer: "€64.90", facts: Array.from({ length: count }, () => fact) }, grounds).kind;
    expect(claimOf(50)).toBe("claim");
    expect(claimOf(51)).toBe("rejected");
  });
});

test("lists the latest few of many dialogs, and how many there were before", () => {
  const dialogs = Array.from({ length: 40 }, (_, index) => ({
    dialog: { kind: "alert" as const, message: `Note ${index + 1}.`, defaultText: "" },
    answer: "accepted" as const,
  }));
  const lines = describeChanges([report("click", {}, { events: { dialogs } })]).filter((line) =>
    /Note|earlier/.test(line),
  );
  expect(lines).toHaveLength(6);
  expect(lines.at(-2)).toContain("Note 40.");
  expect(lines.at(-1)).toContain("35 earlier dialogs");
});
