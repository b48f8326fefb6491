import { describe, expect, test } from "vitest";
import { fillSchema } from "../../../src/agent/extraction/fill-schema.ts";
import { findUngrounded } from "../../../src/agent/extraction/find-ungrounded.ts";
import { capturePage } from "../../../src/agent/grounding/captured-pages.ts";
import type { Extraction, Leaf } from "../../../src/agent/grounding/claim.ts";
import { node, observation } from "../../_harness/observed.ts";

const URL = "https://shop.example/kettle";
const PAGE = {
  url: URL,
  text: "Kettle €64.90 In stock Added 12/03/2026 ★ 4.7 (128) On its way See https://evil.example/ 1.299 not On its way",
  links: new Set(["https://shop.example/buy"]),
};

describe("a value is grounded when the page says it", () => {
  test.each([
    ["a text", "Kettle", "Kettle"],
    ["a part of a text", "64.90", "€64.90"],
    ["a number", 64.9, "€64.90"],
    ["an ambiguous number", 1299, "1.299"],
    ["a number in brackets", 128, "(128)"],
    ["yes", true, "In stock"],
    ["an enum in another case", "on_its_way", "On its way"],
    ["a currency", "EUR", "€64.90"],
    ["the URL of a link", "https://shop.example/buy", "https://shop.example/buy"],
    ["a quote with other white space", "Kettle", "Kettle \n  €64.90"],
    ["null", null, null],
  ])("%s", (_, value, quote) => {
    expect(ungrounded(value, quote)).toEqual([]);
  });
});

describe("an ambiguous date", () => {
  const ungroundedDay = (value: string, text: string) =>
    findUngrounded(extraction({ x: value }, [{ pointer: "/x", value, quote: "12/03/2026", url: URL }]), [
      { ...PAGE, text },
    ]);

  test("is grounded only in the order that other dates of the page use", () => {
    expect(ungroundedDay("2026-03-12", "From 12/03/2026 to 25/03/2026")).toEqual([]);
    expect(ungroundedDay("2026-12-03", "From 12/03/2026 to 25/03/2026")).toHaveLength(1);
    expect(ungroundedDay("2026-12-03", "From 12/03/2026 to 12/25/2026")).toEqual([]);
  });

  test("is not grounded when nothing on the page shows the order", () => {
    expect(ungroundedDay("2026-03-12", "Added 12/03/2026")).toHaveLength(1);
    expect(ungroundedDay("2026-12-03", "Added 12/03/2026")).toHaveLength(1);
  });
});

describe("a value is not grounded", () => {
  test.each([
    ["without a quote", "Kettle", null],
    ["with a quote that is not on the page", "Mug", "Mug"],
    ["with an empty quote", "Mug", " "],
    ["with a quote that says another number", 65, "€64.90"],
    ["with a quote that says several numbers", 4.7, "€64.90 In stock Added 12/03/2026 ★ 4.7 (128)"],
    ["with a quote that says another text", "Mug", "Kettle"],
    ["with a quote that says no", false, "In stock"],
    ["with a quote that says another day", "2026-03-13", "12/03/2026"],
    ["as a URL that is only in the text", "https://evil.example/", "https://evil.example/"],
    ["as a URL whose quote is something else", "https://shop.example/buy", "Kettle"],
    ["as an object", { a: 1 }, "Kettle"],
    ["by a part of a word", "ett", "Kettle"],
    ["by a quote that cuts a number", 64, "64"],
    ["by a quote that cuts a word", "Ket", "Ket"],
    ["by a quote that says the opposite", "on_its_way", "not On its way"],
  ])("%s", (_, value, quote) => {
    expect(ungrounded(value, quote).map(({ pointer }) => pointer)).toContain("/x");
  });

  test("by a page that the run has not seen", () => {
    const leaf = { pointer: "/x", value: "Kettle", quote: "Kettle", url: "https://other.example/" };
    expect(findUngrounded(extraction({ x: "Kettle" }, [leaf]), [PAGE])).toHaveLength(1);
  });

  test("when the data has no leaf for it, or another value than its leaf", () => {
    const leaf = { pointer: "/a~1b", value: "Kettle", quote: "Kettle", url: URL };
    expect(findUngrounded(extraction({ "a/b": "Kettle", c: [1] }, [leaf]), [PAGE])).toEqual([
      { pointer: "/c/0", reason: "it has no quote" },
    ]);
    expect(findUngrounded(extraction({ "a/b": "Mug" }, [leaf]), [PAGE])).toMatchObject([{ pointer: "/a~1b" }]);
  });
});

test("a quote is not required for constants of the schema, only for other values", () => {
  const schema = {
    type: "array",
    items: { type: "object", properties: { kind: { const: "product" }, name: { type: "string" } } },
  };
  expect(findUngrounded(extraction([{ kind: "product" }], []), [PAGE], schema)).toEqual([]);
  expect(findUngrounded(extraction([{ kind: "other", name: "x" }], []), [PAGE], schema)).toHaveLength(2);
});

test("values that are filled in from a page are grounded in the captured page", () => {
  const cell = (text: string) => node("cell", text);
  const row = (...children: ReturnType<typeof cell>[]) => node("row", "", { children });
  const seen = observation(URL, [
    node("table", "Products", {
      children: [
        row(node("columnheader", "Name"), node("columnheader", "Price"), node("columnheader", "Quantity")),
        row(
          node("cell", "Kettle Slim", {
            children: [node("link", "Kettle", { url: `${URL}/1` }), node("text", "Slim")],
          }),
          cell("€64.90"),
          node("cell", "", { children: [node("textbox", "Quantity", { value: "2" })] }),
        ),
        row(cell("Mug"), cell("€9"), cell("1")),
      ],
    }),
  ]);
  const properties = {
    name: { type: "string" },
    price: { type: "number" },
    quantity: { type: "integer" },
    url: { type: "string", format: "uri" },
  };
  const schema = { type: "array", items: { type: "object", properties } };
  const filled = fillSchema(schema, { pages: [seen] });
  expect(filled.data).toEqual([
    { name: "Kettle", price: 64.9, quantity: 2, url: `${URL}/1` },
    { name: "Mug", price: 9, quantity: 1 },
  ]);
  expect(findUngrounded(filled, [capturePage(seen)], schema)).toEqual([]);
  const [first, ...others] = filled.leaves;
  if (first === undefined) throw new Error("no leaves");
  const forged = { ...filled, leaves: [{ ...first, value: "Gold", quote: "Gold" }, ...others] };
  expect(findUngrounded(forged, [capturePage(seen)], schema)).not.toEqual([]);
});

function ungrounded(value: unknown, quote: string | null) {
  return findUngrounded(extraction({ x: value }, [{ pointer: "/x", value, quote, url: `${URL}#part` }]), [PAGE]);
}

function extraction(data: unknown, leaves: Leaf[]): Extraction {
  return { data, leaves, coverage: "", missing: [] };
}
