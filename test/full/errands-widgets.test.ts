import { describe, expect, test } from "vitest";
import { resultOf, useErrands } from "../_harness/errands.ts";

const errands = useErrands();

describe("a widget that people make themselves", () => {
  const use = (page: string, prompt: string) =>
    errands.run({ prompt, startUrl: `${errands.sites.widgets.url}/${page}` });
  const LOVELY = 'Click Sign the guest book, type "Lovely place" into Your message and click Sign.';

  test.each([
    ["a tab", "tabs", "Open the Guarantee tab.", { widget: "tabs", value: "Guarantee" }],
    ["a section", "accordion", "Expand Do you ship abroad?", { widget: "accordion", value: "Do you ship abroad?" }],
    ["an entry of a menu of a menu", "menu", "Click Mugs.", { widget: "menu", value: "Mugs" }],
    ["a modal", "modals", LOVELY, { widget: "dialog", value: "Lovely place" }],
    ["a list", "listbox", "Select Large as the size.", { widget: "listbox", value: "Large" }],
    ["a field that suggests", "combobox", "Choose Ashton as the town.", { widget: "combobox", value: "Ashton" }],
    ["a calendar", "date-picker", "Choose 12 June 2026 as the day.", { widget: "date-picker", value: "2026-06-12" }],
    ["a slider", "slider", "Set the brightness to 75.", { widget: "brightness", value: "75" }],
    ["a slider made of boxes", "slider", "Set the warmth to 8.", { widget: "warmth", value: "8" }],
    [
      "a list to sort",
      "sortable",
      "Drag Winter light to Morning rain.",
      { widget: "songs", value: "Winter light, Morning rain, Paper boats, Slow train" },
    ],
    [
      "a list to sort without the browser's help",
      "sortable",
      "Drag Sweep onto Wash up.",
      { widget: "chores", value: "Water the plants, Wash up, Sweep" },
    ],
  ])("is used as asked: %s", async (_kind, page, prompt, choice) => {
    resultOf(await use(page, prompt));
    expect(errands.sites.widgets.state.choices.at(-1)).toEqual(choice);
    expect(new Set(errands.sites.widgets.state.choices.map(({ widget }) => widget)).size).toBe(1);
  });

  test("and covers the page is put away, with as little consent as it offers", async () => {
    resultOf(await use("cookies", "Click Report a sighting."));
    expect(errands.sites.widgets.state.choices).toEqual([
      { widget: "cookies", value: "Only necessary" },
      { widget: "sighting", value: "reported" },
    ]);
  });

  test("and covers the page is answered as the task says", async () => {
    resultOf(await use("cookies", "Accept all cookies and click Report a sighting."));
    expect(errands.sites.widgets.state.choices[0]).toEqual({ widget: "cookies", value: "Accept all" });
  });
});
