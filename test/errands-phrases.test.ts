import { describe, expect, test } from "vitest";
import { resultOf, useErrands } from "./_harness/errands.ts";

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
});
