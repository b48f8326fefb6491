import { expect, test } from "vitest";
import { writeReceipt } from "../../src/contract/receipt.ts";

const ORDER = {
  type: "form_submission",
  method: "POST",
  url: "https://shop.example/orders",
  status: 303,
  step: 4,
  cause: 'click "Place order"',
  first_party: true,
};

const texts = (sideEffects: unknown) => writeReceipt(sideEffects).done.map(({ text }) => text);

test("a commit is told in its own words, and the other requests of its step stand behind it", () => {
  const described = { ...ORDER, description: "Placed order T-10076: 1 × mug, €16.90" };
  const stock = { ...ORDER, type: "request", url: "https://shop.example/stock" };
  const { done } = writeReceipt([stock, described]);
  expect(done).toEqual([{ text: described.description, sideEffects: [stock, described] }]);
});

test("a change without a description is told by its kind and what caused it, equal ones once", () => {
  expect(texts([ORDER, { ...ORDER, at: "later" }])).toEqual(['Sent a form to shop.example: click "Place order"']);
  expect(texts([{ ...ORDER, type: "request", step: 0, cause: "the page itself" }])).toEqual([
    "Sent data to shop.example",
  ]);
  expect(texts([{ ...ORDER, type: "request", first_party: false, url: "https://count.example/hit" }])).toEqual([
    'Sent data to count.example, another site: click "Place order"',
  ]);
  expect(texts([{ type: "download", name: "bill.pdf", url: "https://shop.example/bill" }])).toEqual([
    "Downloaded bill.pdf from shop.example",
  ]);
  expect(texts([{ type: "dialog", message: "Delete it?", url: "https://shop.example/" }])).toEqual([
    "Confirmed “Delete it?” on shop.example",
  ]);
  expect(texts([{ type: "left_out", count: 12 }])).toEqual(["12 more, not listed"]);
});

test("a description that only repeats the click is none", () => {
  expect(texts([{ ...ORDER, description: ORDER.cause }])).toEqual(['Sent a form to shop.example: click "Place order"']);
});

test("a request to another site is never hidden behind a commit of the same step", () => {
  const described = { ...ORDER, description: "Placed an order" };
  expect(texts([described, { ...ORDER, type: "request", url: "https://other.example/x", first_party: false }])).toEqual(
    ["Placed an order", 'Sent data to other.example, another site: click "Place order"'],
  );
});

test("what the site rejected is not done", () => {
  const { done, rejected } = writeReceipt([{ ...ORDER, status: 422, description: "Placed an order" }]);
  expect([done, rejected.map(({ text }) => text)]).toEqual([[], ["Placed an order"]]);
});

test.each([undefined, null, "x", [null, 5, "x"]])("broken side effects are no receipt: %j", (broken) => {
  expect(writeReceipt(broken)).toEqual({ done: [], rejected: [] });
});
