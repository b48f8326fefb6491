import { describe, expect, test } from "vitest";
import { resultOf, useErrands } from "../../_harness/errands.ts";

const errands = useErrands();

const ASK_FOR_CALLBACK =
  "Type Robin Example into Your name, type 01632 960001 into Phone number and click Request a callback.";

describe("a form in a frame", () => {
  const callback = { name: "Robin Example", phone: "01632 960001" };

  test.each([
    ["of the page", "/same-origin", "same-origin"],
    ["of a frame", "/nested", "nested"],
  ])("%s is filled in and sent", async (_place, path, via) => {
    const { sites } = errands;
    const run = await errands.run({ prompt: ASK_FOR_CALLBACK, startUrl: `${sites.frames.url}${path}` });
    expect(sites.frames.state.callbacks).toEqual([{ via, ...callback }]);
    expect(resultOf(run).evidence.side_effects).toMatchObject([{ type: "form_submission", method: "POST" }]);
  });

  test("of another site is filled in and sent where that site is allowed too", async () => {
    const { frames, partner } = errands.sites;
    const allowedHosts = [frames.url, partner.url].map((url) => new URL(url).host);
    const startUrl = `${frames.url}/cross-origin`;
    const run = await errands.run({ prompt: ASK_FOR_CALLBACK, startUrl, allowedHosts });
    expect(partner.state.callbacks).toEqual([{ via: "partner", ...callback }]);
    expect(resultOf(run).evidence.side_effects).toMatchObject([{ type: "form_submission", method: "POST" }]);
  });

  test("of another site stays empty where it is not", async () => {
    const { frames, partner } = errands.sites;
    const { outcome } = await errands.run({ prompt: ASK_FOR_CALLBACK, startUrl: `${frames.url}/cross-origin` });
    expect(outcome).toMatchObject({ kind: "failed", sideEffects: [] });
    expect(partner.recorded).toEqual([]);
  });

  test("that the browser holds back for a missing field is not taken for sent", async () => {
    const { frames } = errands.sites;
    const prompt = "Type Robin Example into Your name and click Request a callback.";
    const { outcome } = await errands.run({ prompt, startUrl: `${frames.url}/same-origin` });
    expect(outcome).toMatchObject({ kind: "failed", reason: expect.stringContaining("Phone number") });
    expect(frames.state.callbacks).toEqual([]);
  });
});

describe("a form in a shadow root", () => {
  test.each(["open", "closed", "nested"])("is filled in and sent: %s", async (via) => {
    const { shadow } = errands.sites;
    const prompt = "Type robin@example.com into the e-mail address field and click Subscribe.";
    const run = await errands.run({ prompt, startUrl: `${shadow.url}/${via}` });
    expect(shadow.state.subscribers).toEqual([{ email: "robin@example.com", via }]);
    expect(resultOf(run).evidence.side_effects).toMatchObject([{ method: "POST", status: 200 }]);
  });
});

describe("another window", () => {
  test("that a link opens is where the run goes on", async () => {
    const { popups } = errands.sites;
    const run = await errands.run({ prompt: "Click Delivery terms and tell me the heading.", startUrl: popups.url });
    expect(resultOf(run)).toMatchObject({ final_text: "Delivery terms", final_url: `${popups.url}/terms` });
  });

  test("that answers its opener and closes hands the run back to it", async () => {
    const { popups } = errands.sites;
    const prompt =
      "Click Choose a pickup point, select Mill Lane 12 and click Use this pickup point. Then tell me the pickup point.";
    const run = await errands.run({ prompt, startUrl: `${popups.url}/` });
    expect(popups.state.chosenPoints).toEqual(["Mill Lane 12"]);
    expect(resultOf(run)).toMatchObject({ final_text: "Mill Lane 12", final_url: `${popups.url}/` });
  });
});

describe("a dialog of the browser", () => {
  const titles = () => errands.sites.dialogs.state.notes.map(({ title }) => title);

  test("is accepted when the prompt says so", async () => {
    const prompt = "Click Delete Holiday plans and accept the dialog.";
    const run = await errands.run({ prompt, startUrl: errands.sites.dialogs.url });
    expect(titles()).toEqual(["Shopping list", "Recipes"]);
    expect(resultOf(run).evidence.side_effects).toMatchObject([{ type: "form_submission", method: "POST" }]);
  });

  test("is dismissed when the prompt does not say what to answer, and the run fails", async () => {
    const { outcome } = await errands.run({ prompt: "Click Delete Recipes.", startUrl: errands.sites.dialogs.url });
    expect(outcome).toMatchObject({ kind: "failed", code: "CONFIRMATION_NEEDED", sideEffects: [] });
    expect(titles()).toEqual(["Shopping list", "Holiday plans", "Recipes"]);
  });

  test("is dismissed when the prompt says so", async () => {
    const prompt = "Click Delete Recipes and dismiss the dialog.";
    const run = await errands.run({ prompt, startUrl: errands.sites.dialogs.url });
    expect(resultOf(run).evidence.side_effects).toEqual([]);
    expect(titles()).toEqual(["Shopping list", "Holiday plans", "Recipes"]);
  });

  test("that only says something is closed, and what was saved stays saved", async () => {
    const { dialogs } = errands.sites;
    const prompt = 'Type "Buy seeds" into Text and click Save draft.';
    const run = await errands.run({ prompt, startUrl: `${dialogs.url}/editor` });
    expect(dialogs.state.draft).toBe("Buy seeds");
    expect(resultOf(run).final_text).toContain("Draft saved.");
  });
});
