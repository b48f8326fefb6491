import { describe, expect, test } from "vitest";
import { CapturedPages } from "../../../src/agent/grounding/captured-pages.ts";
import { findFieldValues, isUnclearField } from "../../../src/agent/grounding/page-text.ts";
import { findEntries } from "../../../src/agent/verifier/case.ts";
import { checkEntries } from "../../../src/agent/verifier/check-entries.ts";
import { checkField } from "../../../src/agent/verifier/check-fields.ts";
import { type Observation, type ObservedNode, walk } from "../../../src/browser/observation/observation.ts";
import { type FieldPlace, isSamePlace, placeField } from "../../../src/browser/observation/twin-fields.ts";
import { readBody } from "../../../src/browser/session/sent-body.ts";
import { caseOf, HOME, toStep } from "../../_harness/doubtful-case.ts";
import { field, node, observation } from "../../_harness/observed.ts";

const quantity = (value: string) => node("spinbutton", "Quantity", { field: field("number"), value });
const row = (name: string, value: string) =>
  node("row", `${name} ${value}`, {
    children: [
      node("cell", name, { children: [node("text", name)] }),
      node("cell", value, { children: [quantity(value)] }),
      node("cell", "Update", { children: [node("button", "Update", { ref: "e1" })] }),
    ],
  });
const table = (...rows: ObservedNode[]) => observation(HOME, [node("table", "", { children: rows })]);
const section = (title: string, value: string) => [
  node("heading", title, { states: { level: 2 }, children: [node("text", title)] }),
  node("textbox", "Town", { field: field("text"), value }),
];
const names = (...values: string[]) =>
  observation(
    HOME,
    values.map((value) => node("textbox", "Name", { field: field("text"), value })),
  );

function placeOf(page: Observation, label: string, at: number): FieldPlace | null {
  const fields = [...walk(page.root)]
    .map((visit) => visit.node)
    .filter((each) => each.name === label && each.value !== null);
  return placeField(page.root, fields[at] as ObservedNode);
}

describe("a field that has twins", () => {
  const before = table(row("Blue mug", "1"), row("Red mug", "2"));
  const blue = placeOf(before, "Quantity", 0);

  test("is found by its row, whatever the order", () => {
    expect(findFieldValues(table(row("Red mug", "2"), row("Blue mug", "5")), "Quantity", blue)).toEqual(["5"]);
    expect(
      findFieldValues(table(row("Tea towel", "3"), row("Red mug", "2"), row("Blue mug", "5")), "Quantity", blue),
    ).toEqual(["5"]);
    expect(findFieldValues(table(row("Blue mug", "5")), "Quantity", blue)).toEqual(["5"]);
  });

  test("is not taken for another row's", () => {
    for (const page of [table(row("Red mug", "2")), table(row("Red mug", "2"), row("Tea towel", "3"))]) {
      expect(findFieldValues(page, "Quantity", blue)).toEqual([]);
      expect(isUnclearField(page, "Quantity", blue)).toBe(true);
    }
    expect(isUnclearField(observation(HOME, []), "Quantity", blue)).toBe(false);
  });

  test("is found by the heading above it", () => {
    const form = observation(HOME, [...section("Billing", "Leeds"), ...section("Shipping", "Hull")]);
    const shipping = placeOf(form, "Town", 1);
    const again = observation(HOME, [...section("Shipping", "Bath"), ...section("Billing", "Leeds")]);
    expect(findFieldValues(again, "Town", shipping)).toEqual(["Bath"]);
  });

  test("is found by its group", () => {
    const group = (name: string, value: string) =>
      node("group", name, { children: [node("textbox", "Town", { field: field("text"), value })] });
    const form = observation(HOME, [group("Sender", ""), group("Recipient", "")]);
    const again = observation(HOME, [group("Sender", "Leeds"), group("Recipient", "Bath")]);
    expect(findFieldValues(again, "Town", placeOf(form, "Town", 1))).toEqual(["Bath"]);
  });

  test("is found by its position where nothing else tells them apart", () => {
    const second = placeOf(names("", ""), "Name", 1);
    expect(findFieldValues(names("Ann", "Bo"), "Name", second)).toEqual(["Bo"]);
    expect(isUnclearField(names("Ann", "Bo", ""), "Name", second)).toBe(true);
  });

  test("is another entry than its twin", () => {
    const red = placeOf(before, "Quantity", 1);
    expect(isSamePlace(blue, red)).toBe(false);
    const type = (text: string, place: FieldPlace | null, step: number) =>
      toStep({ call: { action: "fill", input: { label: "Quantity", text } }, place }, step);
    const entries = findEntries([type("7", blue, 1), type("8", blue, 2), type("5", red, 3)]);
    expect(entries.map(({ value }) => value)).toEqual(["8", "5"]);
  });

  test("had its own first value", () => {
    const captured = new CapturedPages();
    captured.add(before);
    expect(captured.firstValueOf(HOME, "Quantity", placeOf(before, "Quantity", 1))).toBe("2");
  });
});

test("a field whose label no other has is found by its label alone", () => {
  const only = placeOf(observation(HOME, section("Billing", "Leeds")), "Town", 0);
  expect(findFieldValues(observation(HOME, section("Address", "Bath")), "Town", only)).toEqual(["Bath"]);
  const later = observation(HOME, [...section("Billing", "Leeds"), ...section("Shipping", "Bath")]);
  expect(findFieldValues(later, "Town", only)).toEqual(["Leeds", "Bath"]);
});

describe("what was entered into a row", () => {
  const rows = (...values: [string, string]) => [row("Blue mug", values[0]), row("Red mug", values[1])];
  const seen = observation(HOME, rows("1", "2"));
  const verdictsOf = (fresh: ObservedNode[]) => {
    const steps = [
      {
        call: { action: "fill", input: { label: "Quantity", text: "2" } },
        place: placeOf(seen, "Quantity", 0),
      },
      { call: { action: "click", input: { label: "Update" } } },
    ];
    const scene = caseOf({
      prompt: "Set the quantity of Blue mug to 2 and update it.",
      states: [rows("1", "2"), rows("2", "2")],
      fresh,
      steps,
      writes: [{ step: 2, sent: readBody(Buffer.from('{"quantity":"2"}'), "application/json") }],
    });
    // A claim of a model cites a field by its label only.
    const condition = { kind: "field", url: HOME, label: "Quantity", value: "2", isSaved: true, about: "" } as const;
    return {
      claimed: checkField(condition, scene).verdict,
      entered: checkEntries(scene).map(({ verdict }) => verdict),
    };
  };

  test("is not proven by another row", () => {
    expect(verdictsOf(rows("1", "2"))).toEqual({ claimed: "contradicted", entered: ["contradicted"] });
  });

  test("is unknown where the row is gone", () => {
    expect(verdictsOf([row("Red mug", "2"), row("Tea towel", "3")])).toEqual({ claimed: "unknown", entered: [] });
  });

  test("is proven by its own", () => {
    expect(verdictsOf(rows("2", "2"))).toEqual({ claimed: "satisfied", entered: [] });
  });
});
