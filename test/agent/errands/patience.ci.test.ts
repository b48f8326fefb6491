import { describe, expect, test } from "vitest";
import { resultOf, useErrands } from "../../_harness/errands.ts";

const errands = useErrands();

const run = (path: string, prompt: string) => errands.run({ prompt, startUrl: `${errands.sites.slow.url}${path}` });

describe("a slow page", () => {
  test.each([
    ["a page that the server is slow to send", "/server", "Tell me the heading.", "Opening hours"],
    ["text that appears late", "/later", "Tell me the ticket number.", "T-4711"],
    ["a page that never finishes loading", "/never", "Tell me the heading.", "Visitors"],
    [
      "the page behind one that never finishes",
      "/never",
      "Click Opening hours and tell me the heading.",
      "Opening hours",
    ],
  ])("is waited for: %s", async (_what, path, prompt, answer) => {
    expect(resultOf(await run(path, prompt)).final_text).toBe(answer);
  });

  test("is clicked once its button is there", async () => {
    const { steps, outcome } = await run("/later", "Click Print the ticket.");
    expect(outcome.kind).toBe("verified");
    expect(steps.at(-1)).toMatchObject({ action: "click", outcome: "ok" });
  });
});

describe("a site that fails for a moment", () => {
  test.each([
    ["a page that is first unavailable", "/unavailable", "Map room"],
    ["a connection that is first lost", "/reset", "Reading room"],
  ])("is asked again for the start page: %s", async (_what, path, heading) => {
    const asked = await run(path, "Tell me the heading.");
    expect(resultOf(asked).final_text).toBe(heading);
    expect(asked.steps.map(({ action }) => action)).toEqual(["goto", "goto"]);
  });

  test("during a change does not get it twice, and the change is not verified", async () => {
    const { outcome } = await run("/message", 'Type "Hello there" into Message and click Send.');
    expect(outcome).toMatchObject({ kind: "failed", failure: "site_error", sideEffects: [{ status: 503 }] });
    const { recorded, state } = errands.sites.slow;
    expect(recorded.filter(({ method }) => method === "POST")).toHaveLength(1);
    expect(state.messages).toEqual([]);
  });

  test("and loses the request of a change does not get it twice, and the change is not verified", async () => {
    const { slow } = errands.sites;
    slow.state.failuresLeft.message = 0;
    slow.faults.failNext({ method: "POST", path: "/message", with: "reset" });
    const { outcome } = await run("/message", 'Type "Hello there" into Message and click Send.');
    expect(outcome).toMatchObject({ kind: "failed", sideEffects: [{ method: "POST", status: null }] });
    expect(slow.state.messages).toEqual([]);
  });

  test("and works again takes the message", async () => {
    errands.sites.slow.state.failuresLeft.message = 0;
    resultOf(await run("/message", 'Type "Hello there" into Message and click Send.'));
    expect(errands.sites.slow.state.messages).toEqual(["Hello there"]);
  });
});
