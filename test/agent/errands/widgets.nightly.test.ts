import { describe, expect, test } from "vitest";
import { resultOf, useErrands } from "../../_harness/errands.ts";

const errands = useErrands();

describe("a custom widget", () => {
  const use = (page: string, prompt: string) =>
    errands.run({ prompt, startUrl: `${errands.sites.widgets.url}/${page}` });
  const LOVELY = 'Click Sign the guest book, type "Lovely place" into Your message and click Sign.';

  test.each([
    ["a tab", "tabs", "Open the Guarantee tab.", { widget: "tabs", value: "Guarantee" }],
    ["a section", "accordion", "Expand Do you ship abroad?", { widget: "accordion", value: "Do you ship abroad?" }],
    ["a field that suggests", "combobox", "Choose Ashton as the town.", { widget: "combobox", value: "Ashton" }],
  ])("is used as asked: %s", async (_kind, page, prompt, choice) => {
    resultOf(await use(page, prompt));
    expect(errands.sites.widgets.state.choices.at(-1)).toEqual(choice);
    expect(new Set(errands.sites.widgets.state.choices.map(({ widget }) => widget)).size).toBe(1);
  });

  test.each([
    ["a list", "listbox", "Select Large as the size.", { widget: "listbox", value: "Large" }],
    ["a modal", "modals", LOVELY, { widget: "dialog", value: "Lovely place" }],
  ])("that a fresh page shows unchanged is not called done: %s", async (_kind, page, prompt, choice) => {
    const { outcome } = await use(page, prompt);
    expect(errands.sites.widgets.state.choices).toEqual([choice]);
    expect(outcome).toMatchObject({ kind: "failed", failure: "unverified" });
  });

  test("that covers the page is closed with as little consent as it offers", async () => {
    resultOf(await use("cookies", "Click Report a sighting."));
    expect(errands.sites.widgets.state.choices).toEqual([
      { widget: "cookies", value: "Only necessary" },
      { widget: "sighting", value: "reported" },
    ]);
  });

  test("that covers the page is answered as the prompt says", async () => {
    resultOf(await use("cookies", "Click Accept all and click Report a sighting."));
    expect(errands.sites.widgets.state.choices[0]).toEqual({ widget: "cookies", value: "Accept all" });
  });
});
