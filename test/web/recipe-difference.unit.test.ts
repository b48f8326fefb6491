import { expect, test } from "vitest";
import type { RecipeContent } from "../../src/contract/console/recipes.ts";
import { diffContents } from "../../web/src/pages/recipes/content-diff.ts";

const BEFORE: RecipeContent = {
  template: "Order <quantity> mugs",
  start_url: "https://shop.example/",
  variables: [{ name: "quantity", kind: "number", max_words: null }],
  steps: ["Open “Mugs”", "Enter <quantity>", "Click “Buy”"],
  writes: ["POST /orders"],
  output_schema: null,
  yaml: "one\ntwo\nthree\nfour\nfive\nsix\nseven",
};

function show(after: Partial<RecipeContent>): string[] {
  const signs = { same: " ", added: "+", removed: "-" };
  return diffContents(BEFORE, { ...BEFORE, ...after }).flatMap(({ title, lines }) => [
    title,
    ...lines.map(({ change, text }) => `${signs[change]} ${text}`),
  ]);
}

test("a version that is the same has no difference", () => {
  expect(show({})).toEqual([]);
});

test("only the parts that changed are shown, with the lines that stayed", () => {
  expect(
    show({
      steps: ["Open “Mugs”", "Close the banner", "Enter <quantity>", "Click “Order”"],
      variables: [{ name: "quantity", kind: "text", max_words: 2 }],
      yaml: "other",
    }),
  ).toEqual([
    "Variables",
    "- quantity: number",
    "+ quantity: text, at most 2 words",
    "Steps",
    "  Open “Mugs”",
    "+ Close the banner",
    "  Enter <quantity>",
    "- Click “Buy”",
    "+ Click “Order”",
  ]);
});

test("steps that read the same are compared in the file, without what is far from a change", () => {
  expect(show({ yaml: BEFORE.yaml.replace("four", "4") })).toEqual([
    "File",
    "  two",
    "  three",
    "- four",
    "+ 4",
    "  five",
    "  six",
  ]);
});
