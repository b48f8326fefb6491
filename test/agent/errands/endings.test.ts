import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { StopReason } from "../../../src/agent/loop/errand.ts";
import { useErrands } from "../../_harness/errands.ts";

const errands = useErrands();

describe("a run ends", () => {
  test("at its step limit, and later steps are not carried out", async () => {
    const { widgets } = errands.sites;
    const { outcome, steps } = await errands.run({
      prompt: "Click Accept all, then click Report a sighting.",
      startUrl: `${widgets.url}/cookies`,
      limits: { maxSteps: 2 },
    });
    expect(outcome).toMatchObject({ kind: "failed", failure: "step_limit", sideEffects: [{ method: "POST" }] });
    expect(steps).toHaveLength(2);
    expect(widgets.state.choices.map(({ widget }) => widget)).toEqual(["cookies"]);
  });

  test("when its time is up", async () => {
    const { outcome } = await errands.run({
      prompt: 'Wait until "Snow" appears.',
      startUrl: `${errands.sites.slow.url}/never`,
      limits: { maxDurationMs: 3_000 },
    });
    expect(outcome).toMatchObject({ kind: "failed", failure: "timed_out" });
  });

  test("when it is canceled, after the current step", async () => {
    const { widgets } = errands.sites;
    const stop = new AbortController();
    const { outcome } = await errands.run({
      prompt: "Click Accept all, then click Report a sighting.",
      startUrl: `${widgets.url}/cookies`,
      signal: stop.signal,
      onStep: ({ step }) => step === 2 && stop.abort(new StopReason("canceled")),
    });
    expect(outcome).toMatchObject({ kind: "failed", failure: "canceled", sideEffects: [{ method: "POST" }] });
    expect(widgets.state.choices.map(({ widget }) => widget)).toEqual(["cookies"]);
  });

  test.each(["lease_lost", "shutting_down"] as const)(
    "without an outcome when the worker loses it: %s",
    async (kind) => {
      const stop = new AbortController();
      const run = errands.run({
        prompt: "Click Accept all, then click Report a sighting.",
        startUrl: `${errands.sites.widgets.url}/cookies`,
        signal: stop.signal,
        onStep: () => stop.abort(new StopReason(kind)),
      });
      await expect(run).rejects.toMatchObject({ kind });
    },
  );
});

describe("data that breaks a rule of the schema", () => {
  test.each([
    ["complete", { type: "string", pattern: "^never$" }],
    ["incomplete", { type: "string", description: "Fax of the night watch" }],
  ])("is not returned: %s", async (_what, value) => {
    const name = "pattern" in value ? "phone" : "fax";
    const { outcome } = await errands.run({
      prompt: "Extract the details from this page.",
      startUrl: `${errands.sites.facts.url}/company`,
      outputSchema: { type: "object", properties: { [name]: value }, required: [name] },
    });
    expect(outcome).toMatchObject({ kind: "failed", failure: "output_schema_mismatch" });
  });
});

describe("a site that does not work", () => {
  test("refuses every connection: the run ends as an error of the site", async () => {
    const gone = createServer().listen(0, "127.0.0.1");
    await once(gone, "listening");
    const { port } = gone.address() as AddressInfo;
    gone.close();
    await once(gone, "close");
    const startUrl = `http://127.0.0.1:${port}/`;
    const { outcome } = await errands.run({ prompt: "Tell me the heading.", startUrl });
    expect(outcome).toMatchObject({ kind: "failed", failure: "site_error", sideEffects: [] });
  });

  test("redirects in a circle: the run ends as an error of the site", async () => {
    const startUrl = `${errands.sites.endlessScript.url}/circle`;
    const { outcome } = await errands.run({ prompt: "Tell me the heading.", startUrl });
    expect(outcome).toMatchObject({ kind: "failed", failure: "site_error", sideEffects: [] });
  });

  test.each([
    ["responds with 500 each time", 500],
    ["loses each connection", "reset"],
  ] as const)("%s: the run ends as an error of the site", async (_what, fault) => {
    const { facts } = errands.sites;
    for (let times = 0; times < 10; times++) facts.faults.failNext({ path: "/company", with: fault });
    const { outcome } = await errands.run({ prompt: "Tell me the phone number.", startUrl: `${facts.url}/company` });
    expect(outcome).toMatchObject({ kind: "failed", failure: "site_error", sideEffects: [] });
  });

  test("never responds: the run ends at its time limit", async () => {
    const { facts } = errands.sites;
    for (let times = 0; times < 10; times++) facts.faults.failNext({ path: "/company", with: "hang" });
    const { outcome } = await errands.run({
      prompt: "Tell me the phone number.",
      startUrl: `${facts.url}/company`,
      limits: { maxDurationMs: 4_000 },
    });
    expect(outcome).toMatchObject({ kind: "failed", failure: "timed_out", sideEffects: [] });
  });

  test("crashes under a click: the run ends as an error of the site", async () => {
    const { endlessScript } = errands.sites;
    const prompt = "Click Show the tree and tell me the heading.";
    const { outcome } = await errands.run({ prompt, startUrl: `${endlessScript.url}/crash` });
    expect(outcome).toMatchObject({ kind: "failed", failure: "site_error", code: "BROWSER_LOST" });
  });

  test.each([
    ["redirects in a circle", "endlessScript", "Click Help and tell me the heading."],
    ["responds with 503", "slow", "Click Map room and tell me the heading."],
    ["loses the connection", "slow", "Click Reading room and tell me the heading."],
    ["responds with 503, and the prompt reads nothing", "slow", "Click Map room."],
  ] as const)("%s behind a link: the run ends as an error of the site", async (_what, site, prompt) => {
    const { outcome } = await errands.run({ prompt, startUrl: errands.sites[site].url });
    expect(outcome).toMatchObject({ kind: "failed", failure: "site_error", sideEffects: [] });
  });
});
