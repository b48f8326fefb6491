import { describe, expect, test } from "vitest";
import { resultOf, useErrands } from "../_harness/errands.ts";
import { ENDLESS_ITEMS } from "../sites/endless.ts";
import { PLANT_ROWS } from "../sites/paged.ts";

const errands = useErrands();

describe("in a person's words", () => {
  test.each(["Click Delete Recipes and confirm it.", "Delete Recipes and confirm."])(
    "a question of the browser is agreed to: %s",
    async (prompt) => {
      const { dialogs } = errands.sites;
      resultOf(await errands.run({ prompt, startUrl: dialogs.url }));
      expect(dialogs.state.notes.map(({ title }) => title)).toEqual(["Shopping list", "Holiday plans"]);
    },
  );

  test("a question of the browser is answered with a text", async () => {
    const { dialogs } = errands.sites;
    const prompt = 'Click Rename Recipes and answer the dialog with "Soups".';
    resultOf(await errands.run({ prompt, startUrl: dialogs.url }));
    expect(dialogs.state.notes.at(-1)?.title).toBe("Soups");
  });

  test.each([
    ["modals", "Click Delete the guest book and click Yes, delete.", { widget: "made-dialog", value: "deleted" }],
    ["menu", "Click Export, then As a table, then CSV.", { widget: "menu", value: "CSV" }],
    ["menu", "Hover over Products, then Cups, and click Mugs.", { widget: "menu", value: "Mugs" }],
    ["date-picker", "Open the calendar and pick 3 January 2026.", { widget: "date-picker", value: "2026-01-03" }],
  ])("what follows belongs to what was said before: %s", async (page, prompt, choice) => {
    const { widgets } = errands.sites;
    resultOf(await errands.run({ prompt, startUrl: `${widgets.url}/${page}` }));
    expect(widgets.state.choices.at(-1)).toEqual(choice);
  });

  test("two values go into two fields", async () => {
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

  test("a row goes by its place in the list", async () => {
    const { ambiguous } = errands.sites;
    resultOf(await errands.run({ prompt: "Delete the second row.", startUrl: `${ambiguous.url}/rows` }));
    expect(ambiguous.state.devices).toEqual(["Kitchen radio", "Garden pump"]);
  });

  test("two columns and a condition are one list", async () => {
    const { paged } = errands.sites;
    const prompt = "List the code and count of all plants in bed 3.";
    const { final_text } = resultOf(await errands.run({ prompt, startUrl: paged.url }));
    const plants = PLANT_ROWS.filter(({ bed }) => bed === 3);
    expect(final_text).toBe(plants.map(({ code, count }) => `${code}, count: ${count}`).join("\n"));
  });

  test.each(["/more", "/scroll"])("what is far down a growing list is looked for: %s", async (path) => {
    const { title, price } = ENDLESS_ITEMS[103] ?? {};
    const prompt = `What is the price of ${title}?`;
    const run = await errands.run({ prompt, startUrl: `${errands.sites.endless.url}${path}` });
    expect(resultOf(run).final_text).toBe(price);
  });
});
