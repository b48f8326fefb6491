import { beforeAll, describe, expect, test } from "vitest";
import { resultOf } from "../../_harness/errands.ts";
import { call, done, type Line } from "../../_harness/model-script.ts";
import { type ModelSite, startModelSite } from "../../_harness/model-site.ts";

let site: ModelSite;

beforeAll(async () => {
  site = await startModelSite({
    "/": `<h1>Dead end</h1><p>Some words to read.</p><p>More words to read.</p><button>Load more</button>
      <a href="/there">There</a><a href="/answer">Contents</a>`,
    "/there": '<h1>There</h1><p>Some words to read.</p><p>More words to read.</p><a href="/">Back again</a>',
    "/answer": "<h1>Contents</h1><p>The answer is blue.</p>",
    "/counter": `<h1>Counter</h1><p id="count">0</p>
      <button onclick="const c = document.getElementById('count'); c.textContent = Number(c.textContent) + 1">More</button>`,
    "/drawing": '<canvas width="300" height="300" aria-label="A chart"></canvas>',
  });
  return () => site[Symbol.asyncDispose]();
});

const load: Line = (turn) => turn.click('button "Load more"');
const blue: Line = () => done("Blue.", { facts: [{ about: "answer", value: "blue", quote: "The answer is blue." }] });

describe("a model that repeats itself", () => {
  test("gets a screenshot, then a refusal, then a request to rethink, then is stopped", async () => {
    const { outcome, steps } = await site.run("Load everything and tell me the answer.", [load]);
    expect(outcome).toMatchObject({ kind: "failed", failure: "goal_unreachable", code: "STUCK" });
    expect(steps.map(({ action }) => action)).toEqual(["goto", "click", "click"]);
    const { requests } = site.server;
    expect(requests.map(({ images }) => images)).toEqual([0, 0, 1, 1, 1]);
    expect(requests[2]?.text).toContain("You have done this before on this page");
    expect(requests[3]?.text).toContain("twice before");
    expect(requests[4]?.text).toContain("think of an entirely different way");
    expect(requests[4]?.text).toMatch(/Tried without success:\n<data-.*>\nclick "Load more"/);
  });

  test("continues when it has found another way", async () => {
    const run = await site.run("What is the answer?", [
      load,
      load,
      load,
      load,
      (turn) => turn.click('link "Contents"'),
      blue,
    ]);
    expect(resultOf(run).final_text).toBe("Blue.");
    expect(site.server.lastRequest.text).not.toContain("stuck");
  });

  test("is detected when it alternates between two pages", async () => {
    const { outcome, steps } = await site.run("What is the answer?", [
      (turn) => turn.click(turn.page.includes("# There") ? 'link "Back again"' : 'link "There"'),
    ]);
    expect(outcome).toMatchObject({ failure: "goal_unreachable", code: "STUCK" });
    expect(steps).toHaveLength(5);
  });

  test("is detected when it only waits and scrolls", async () => {
    let seconds = 0;
    const { outcome, steps } = await site.run("What is the answer?", [
      () =>
        seconds++ % 2 === 0
          ? call("scroll", { direction: "down" })
          : call("wait_for", { text: `Never ${seconds}`, timeout_seconds: 0.1 }),
    ]);
    expect(outcome).toMatchObject({ failure: "goal_unreachable", code: "STUCK" });
    expect(steps.length).toBeLessThanOrEqual(6);
  });

  test("may repeat an action while the page changes", async () => {
    const more: Line = (turn) => turn.click('button "More"');
    const four = { about: "count", value: "4", quote: "4" };
    const run = await site.run(
      "Click More four times and tell me the count.",
      [more, more, more, more, () => done("It is 4.", { facts: [four] })],
      {
        path: "/counter",
      },
    );
    expect(resultOf(run).final_text).toBe("It is 4.");
  });
});

describe("a model that never finishes", () => {
  const wander: Line = (turn) =>
    call("find", { words: `word ${turn.request.messages.length} ${site.server.requests.length}` });

  test("is warned, and finally told to end the run", async () => {
    const { outcome, steps } = await site.run("What is the answer?", [wander], { limits: { maxSteps: 8 } });
    expect(outcome).toMatchObject({ kind: "failed", failure: "step_limit", code: "STEP_LIMIT" });
    expect(steps).toHaveLength(7);
    const { requests } = site.server;
    const turns = requests.filter(({ text }) => !text.includes("This is the last turn"));
    expect(turns.map(({ text }) => text.includes("Bring it to an end."))).toEqual([
      false,
      false,
      false,
      false,
      false,
      true,
    ]);
    expect(requests.at(-1)?.text).toContain("No more actions are possible: call done or give_up.");
    const starts = requests.map(({ tools, system }) => JSON.stringify([tools, system]));
    expect(new Set(starts).size, "the start of all requests is the same").toBe(1);
  });

  test("may still finish in its last turn", async () => {
    const run = await site.run("What is the answer?", [(turn) => turn.click('link "Contents"'), blue], {
      limits: { maxSteps: 3 },
    });
    expect(resultOf(run).final_text).toBe("Blue.");
    expect(site.server.lastRequest.text).toContain("This is the last turn");
  });

  test("is stopped when it only requests impossible actions", async () => {
    const { outcome, steps } = await site.run("What is the answer?", [
      () => call("click", { ref: "e999", label: "Answer" }),
    ]);
    expect(outcome).toMatchObject({ failure: "goal_unreachable", code: "STUCK" });
    expect(steps).toHaveLength(1);
    expect(site.server.requests.length).toBeLessThanOrEqual(8);
  });

  test("runs out of tokens", async () => {
    const { outcome } = await site.run(
      "What is the answer?",
      [(turn) => ({ calls: [wander(turn) as never], usage: { input: 6_000, output: 10 } })],
      {
        limits: { maxTokens: 10_000 },
      },
    );
    expect(outcome).toMatchObject({ kind: "failed", failure: "step_limit", code: "TOKEN_LIMIT" });
  });
});

describe("a screenshot", () => {
  test("is sent once when the model asks to look", async () => {
    await site.run("What is the answer?", [() => call("look"), () => call("find", { words: "words" }), blue]);
    expect(site.server.requests.slice(0, 3).map(({ images }) => images)).toEqual([0, 1, 0]);
  });

  test("is sent when the page has little text", async () => {
    await site.run("What does the chart show?", [() => call("give_up", { kind: "goal_unreachable", reason: "No." })], {
      path: "/drawing",
    });
    expect(site.server.lastRequest.images).toBe(1);
  });

  test("is not sent to a model without image input", async () => {
    const blind = { status: 400, body: JSON.stringify({ error: { message: "this model has no image input" } }) };
    await site.run("What is the answer?", [
      (turn) => (turn.request.images > 0 ? blind : call("look")),
      (turn) => (turn.request.images > 0 ? blind : call("find", { words: "words" })),
      load,
      load,
      blue,
    ]);
    const seen = site.server.requests.map(({ images, actions }) => [images, actions.includes("look")]);
    expect(seen.slice(0, 4)).toEqual([
      [0, true],
      [1, true],
      [0, true],
      [0, false],
    ]);
    expect(seen.slice(3).flat()).not.toContain(1);
  });
});
