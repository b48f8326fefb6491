import { describe, expect, test } from "vitest";
import { resultOf, useErrands } from "../../_harness/errands.ts";
import { ENDLESS_ITEMS } from "../../sites/endless.ts";
import { PLANT_ROWS } from "../../sites/paged.ts";

const errands = useErrands();

describe("in plain words", () => {
  test.each(["Click Delete Recipes and confirm it.", "Click Delete Recipes. Accept the dialog."])(
    "a dialog of the browser is accepted: %s",
    async (prompt) => {
      const { dialogs } = errands.sites;
      resultOf(await errands.run({ prompt, startUrl: dialogs.url }));
      expect(dialogs.state.notes.map(({ title }) => title)).toEqual(["Shopping list", "Holiday plans"]);
    },
  );

  test("a dialog of the browser is answered with a text", async () => {
    const { dialogs } = errands.sites;
    const prompt = 'Click Rename Recipes and answer the dialog with "Soups".';
    resultOf(await errands.run({ prompt, startUrl: dialogs.url }));
    expect(dialogs.state.notes.at(-1)?.title).toBe("Soups");
  });

  test.each([
    ["menu", "Click Export, click As a table, then click CSV.", { widget: "menu", value: "CSV" }],
    ["menu", "Click Export, then As a table, and then CSV.", { widget: "menu", value: "CSV" }],
    ["menu", "Hover over Products, hover over Cups and click Mugs.", { widget: "menu", value: "Mugs" }],
  ])("a menu is used step by step: %s", async (page, prompt, choice) => {
    const { widgets } = errands.sites;
    resultOf(await errands.run({ prompt, startUrl: `${widgets.url}/${page}` }));
    expect(widgets.state.choices.at(-1)).toEqual(choice);
  });

  test("one sentence fills two fields", async () => {
    const { frames } = errands.sites;
    const { steps } = await errands.run({
      prompt: "Enter Robin Example as your name and 01632 960001 as the phone number.",
      startUrl: `${frames.url}/same-origin`,
    });
    expect(steps.filter(({ action }) => action === "fill").map(({ input }) => input["text"])).toEqual([
      "Robin Example",
      "01632 960001",
    ]);
  });

  test.each(["Delete the second row.", "Click Export, then as a table.", "Drag Winter light to Morning rain."])(
    "what is not understood is refused before a page is opened: %s",
    async (prompt) => {
      const { ambiguous } = errands.sites;
      const { outcome, steps } = await errands.run({ prompt, startUrl: `${ambiguous.url}/rows` });
      expect(outcome).toMatchObject({ kind: "failed", failure: "unsupported_prompt", sideEffects: [] });
      expect(steps).toEqual([]);
      expect(ambiguous.recorded).toEqual([]);
    },
  );

  test("a list can have columns and a condition", async () => {
    const { paged } = errands.sites;
    const prompt = "List the code and count of all plants in bed 3.";
    const { final_text } = resultOf(await errands.run({ prompt, startUrl: paged.url }));
    const plants = PLANT_ROWS.filter(({ bed }) => bed === 3);
    expect(final_text).toBe(plants.map(({ code, count }) => `${code}, count: ${count}`).join("\n"));
  });

  test.each(["/more", "/scroll"])("a value far down a growing list is found: %s", async (path) => {
    const { title, price } = ENDLESS_ITEMS[103] ?? {};
    const prompt = `What is the price of ${title}?`;
    const run = await errands.run({ prompt, startUrl: `${errands.sites.endless.url}${path}` });
    expect(resultOf(run).final_text).toBe(price);
  });
});
