import { describe, expect, test } from "vitest";
import { ActedPage } from "../../../src/agent/gate/acted-page.ts";
import { AskedAbout } from "../../../src/agent/gate/asked-about.ts";
import { differs } from "../../../src/agent/gate/differs.ts";
import { Entries } from "../../../src/agent/gate/entries.ts";
import { findOther } from "../../../src/agent/gate/find-other.ts";
import type { Observation, ObservedNode } from "../../../src/browser/observation/observation.ts";
import { field, node, observation } from "../../_harness/observed.ts";

const URL = "https://shop.example/checkout";
const box = (role: string, ...children: ObservedNode[]) => node(role, "", { children });
const title = (text: string) => node("heading", text, { states: { level: 1 } });

let number = 0;
const input = (label: string, value: string) =>
  node("textbox", label, { ref: `e${++number}`, value, field: field("text", { key: label.toLowerCase() }) });
const radios = (key: string, ...names: string[]) =>
  box(
    "paragraph",
    ...names.map((name, index) =>
      node("radio", name, { ref: `e${++number}`, field: field("radio", { key }), states: { checked: index === 0 } }),
    ),
  );
const select = (label: string, value: string, ...names: string[]) =>
  node("combobox", label, {
    ref: `e${++number}`,
    value,
    field: field("select"),
    children: names.map((name) => node("option", name, { states: { selected: name === value } })),
  });

/** A page of the checkout. */
const form = (heading: string, ...fields: ObservedNode[]) =>
  observation(`${URL}/${heading.replaceAll(" ", "-")}`, [box("main", title(heading), ...fields)], { title: heading });
const list = (...pairs: (readonly [string, string])[]) =>
  box(
    "generic",
    ...pairs.flatMap(([label, value]) => [
      node("term", "", { children: [node("text", label)] }),
      node("definition", "", { children: [node("text", value)] }),
    ]),
  );
const review = (...parts: ObservedNode[]) =>
  observation(`${URL}/review`, [
    box("main", title("Review your order"), ...parts, node("button", "Place order", { ref: "e999" })),
  ]);
const section = (heading: string, ...lines: string[]) => [
  node("heading", heading, { states: { level: 2 } }),
  box("paragraph", ...lines.map((line) => node("text", line))),
];

describe("a question before a deletion", () => {
  const member = (name: string) =>
    node("row", "", {
      children: [
        box("cell", node("text", name)),
        box("cell", node("text", "Fixed desk")),
        box("cell", node("button", "Delete", { ref: `delete ${name}` })),
      ],
    });
  const members = observation("https://desk.example/members", [
    box("table", member("Cyril Petrov"), member("Dora Santos"), member("Emil Keller")),
  ]);
  const question = (text: string) =>
    observation("https://desk.example/members/7/delete", [
      box(
        "main",
        node("paragraph", "", { children: [node("text", text)] }),
        node("button", "Yes, delete", { ref: "yes" }),
      ),
    ]);
  const click = (ref: string, label: string, page: Observation) =>
    new ActedPage({ action: "click", input: { ref, label } }, page);
  const ask = (text: string) => {
    const about = new AskedAbout();
    about.note(click("delete Cyril Petrov", "Delete", members));
    return about.findOther(click("yes", "Yes, delete", question(text)));
  };

  test("is about the row that it was opened from", () => {
    expect(ask("Do you really want to delete Dora Santos?")).toBe(
      'The page asks about "Dora Santos", and not about "Cyril Petrov".',
    );
    expect(ask("Do you really want to delete Cyril Petrov?")).toBeNull();
    expect(ask("Cyril Petrov will be deleted. Dora Santos takes over his desk.")).toBeNull();
  });

  test("may not say what it is about", () => {
    expect(ask("Do you really want to delete this member?")).toBeNull();
    expect(ask("The plan Fixed desk ends today.")).toBeNull();
  });

  test("says nothing about what is deleted in another row afterwards", () => {
    const about = new AskedAbout();
    about.note(click("delete Cyril Petrov", "Delete", members));
    expect(about.findOther(click("delete Dora Santos", "Delete", members))).toBeNull();
  });
});

interface Step {
  readonly page: Observation;
  readonly label: string;
  readonly value: string;
}

/** Fills a field, selects an option or turns on a radio button, whatever the page has under this name. */
const enter = (page: Observation, label: string, value: string): Step => ({ page, label, value });

function find(shown: Observation, ...steps: readonly Step[]): string | null {
  const entries = new Entries();
  for (const { page, label, value } of steps) {
    const target = [...nodesOf(page.root)].find(({ name, ref }) => ref !== null && name === (label || value));
    const given = { ref: target?.ref, label: target?.name };
    const call = {
      textbox: { action: "fill", input: { ...given, text: value } },
      combobox: { action: "select", input: { ...given, options: [value] } },
      radio: { action: "check", input: { ...given, checked: true } },
      link: { action: "click", input: given },
    }[target?.role ?? ""];
    if (call === undefined) throw new Error(`The page has no ${label}.`);
    const acted = new ActedPage(call, page);
    entries.look(acted);
    entries.note(call, acted);
  }
  const acted = new ActedPage({ action: "click", input: { label: "Place order" } }, shown);
  entries.look(acted);
  return findOther(acted, entries.all);
}

function* nodesOf(root: ObservedNode): Generator<ObservedNode> {
  yield root;
  for (const child of root.children) yield* nodesOf(child);
}

const ADDRESS = form(
  "Delivery address",
  input("Name", "Lena Fischer"),
  input("Street", "Ahornweg 3"),
  input("Postcode", "10115"),
  input("City", "Berlin"),
);
const street = enter(ADDRESS, "Street", "Lindenallee 12");
const zip = enter(ADDRESS, "Postcode", "80331");
const city = enter(ADDRESS, "City", "München");

describe("where it goes", () => {
  test.each([
    ["another street", section("Deliver to", "Lena Fischer", "Old Road 99", "10115 Berlin")],
    ["another street, in one line", section("Shipping address", "Lena Fischer, Old Road 99, 10115 Berlin")],
    ["what the form held before", section("Ship to", "Lena Fischer", "Ahornweg 3", "10115 Berlin")],
    ["another house", section("Deliver to", "Lena Fischer", "Lindenallee 99", "10115 Berlin")],
    ["another street with the same number", section("Deliver to", "Lena Fischer", "Old Road 12", "10115 Berlin")],
    ["a line of text", [node("paragraph", "Deliver to: Old Road 99, 10115 Berlin")]],
    ["a term", [list(["Delivery address", "Lena Fischer, Old Road 99, 10115 Berlin"])]],
  ])("%s is not what was entered", (_what, parts) => {
    const said = find(review(...parts), street) ?? "";
    expect(said).toContain('"Lindenallee 12" was entered');
    expect(said).toContain(parts.length === 1 ? "eliver" : parts[0]?.name);
  });

  test("another town is not what was entered", () => {
    const shown = review(...section("Deliver to", "Lena Fischer", "Lindenallee 12", "20095 Hamburg"));
    expect(find(shown, street, zip)).toContain('"80331" was entered');
  });

  test.each([
    ["the address", section("Deliver to", "Lena Fischer", "Lindenallee 12", "80331 München")],
    ["the address in capitals", section("Deliver to", "LENA FISCHER", "LINDENALLEE 12", "D-80331 MUENCHEN")],
    ["the address, shortened", section("Ship to", "L. Fischer", "12 Lindenall.", "80331 Munich, DE")],
    ["nothing about it", section("Summary", "1 × Moss Tent", "Total €289.00")],
    ["only the town", section("Deliver to", "80331 Munich")],
    ["where to look for it", section("Delivery address", "Your saved address")],
    ["the steps of the checkout", section("Delivery address", "2 Payment", "3 Review")],
    ["how long it takes", section("Delivery to Germany", "3–5 days, €4.90, by Tue 2 December")],
    ["a masked address", section("Deliver to", "Lena F.", "Lind••• 12", "80331 München")],
    [
      "that it is also sent elsewhere",
      [...section("Deliver to", "Lindenallee 12"), ...section("Ship to", "Old Road 9")],
    ],
  ])("%s is no contradiction", (_what, parts) => {
    expect(find(review(...parts), street, zip, city)).toBeNull();
  });

  test("a billing address is not where it goes", () => {
    const billing = form("Billing address", input("Street", ""), input("City", ""));
    const shown = review(...section("Deliver to", "Lena Fischer", "Old Road 99", "10115 Berlin"));
    expect(find(shown, enter(billing, "Street", "Lindenallee 12"))).toBeNull();
    const both = review(list(["Street", "Old Road 99"]), ...section("Billing address", "Lindenallee 12"));
    expect(find(both, enter(billing, "Street", "Lindenallee 12"))).toBeNull();
  });

  test("a later entry replaces an earlier one", () => {
    const shown = review(...section("Deliver to", "Lena Fischer", "Old Road 99", "10115 Berlin"));
    expect(find(shown, street, enter(ADDRESS, "Street", "Old Road 99"))).toBeNull();
  });
});

describe("what was chosen", () => {
  const delivery = form(
    "Delivery",
    radios("how", "Standard (3–5 days)", "Express – €9.90"),
    select("Payment", "Invoice", "Invoice", "Bank transfer"),
    select("Guests", "1", "1", "2", "3", "4"),
  );
  const standard = enter(delivery, "", "Standard (3–5 days)");
  const transfer = enter(delivery, "Payment", "Bank transfer");
  const guests = enter(delivery, "Guests", "2");

  test.each([
    ["another way to send it", list(["Shipping", "Express"]), "Express"],
    ["another way to send it, with details", list(["Shipping", "Express delivery (tomorrow)"]), "Express"],
    ["another way to send it, with its price", list(["Express delivery", "€9.90"]), "Express delivery"],
    ["another option that is on", radios("how", "Express", "Standard"), "Express"],
  ])("%s contradicts it", (_what, part, said) => {
    expect(find(review(part), standard)).toContain(said);
  });

  test("another option of a list contradicts it, and a number under the same label", () => {
    expect(find(review(list(["Shipping", "Standard"], ["Pay by", "Invoice"])), standard, transfer)).toContain(
      "Invoice",
    );
    expect(find(review(list(["Guests", "4"])), guests)).toContain("Guests: 4");
  });

  test.each([
    ["the option", list(["Shipping", "Standard"], ["Payment", "Bank transfer"], ["Guests", "2"])],
    ["the option, in other words", list(["Shipping", "standard delivery, 3 to 5 days"], ["Guests", "2 adults"])],
    ["nothing about it", list(["Total", "€289.00"], ["Nights", "4"])],
    ["both options", list(["Standard delivery", "free"], ["Express delivery", "€9.90"])],
    ["an option of another kind", list(["Shipping", "Pick-up"], ["Room", "Express suite"])],
  ])("%s does not", (_what, part) => {
    expect(find(review(part), standard, transfer, guests)).toBeNull();
  });

  test("a later choice replaces an earlier one, also by a link", () => {
    const shown = review(list(["Shipping", "Express"]));
    expect(find(shown, standard, enter(delivery, "", "Express – €9.90"))).toBeNull();
    const change = form("Change", node("link", "Express", { ref: "e900" }));
    expect(find(shown, standard, enter(change, "Express", ""))).toBeNull();
  });

  test("what only chooses the products that are shown is none", () => {
    const gear = form("Gear", select("Department", "All", "All", "Boats", "Camping"));
    const boats = enter(gear, "Department", "Boats");
    const found = { ...form("Found", node("link", "Tent", { ref: "e901" })), url: `${URL}?department=boats` };
    const shown = review(list(["Department", "Camping"]));
    expect(find(shown, boats)).toContain("Camping");
    expect(find(shown, boats, enter(found, "Tent", ""))).toBeNull();
  });
});

describe("a value with the same label", () => {
  const booking = form("Booking", input("Name", ""), input("Phone", ""), input("Arrival", ""), input("Quantity", "1"));
  const name = enter(booking, "Name", "Anna Berg");
  const phone = enter(booking, "Phone", "+49 30 555012");
  const arrival = enter(booking, "Arrival", "2026-12-01");

  test.each([
    ["another day", list(["Arrival", "3 December 2026"]), arrival],
    ["another number", list(["Phone", "030 777999"]), phone],
    ["another name", list(["Name", "Jo Doe"], ["Arrival", "2026-12-01"]), name],
    ["another value in the only row", table(["Arrival", "Departure"], ["2026-12-03", "2026-12-05"]), arrival],
    ["another value in a field", input("Arrival", "2026-12-03"), arrival],
  ])("%s is not what was entered", (_what, part, step) => {
    expect(find(review(part), step)).toContain("was entered");
  });

  test.each([
    ["the day in words", list(["Arrival", "Tue, 1 December 2026"]), arrival],
    ["no day", list(["Arrival", "as soon as possible"]), arrival],
    ["the number in another form", list(["Phone", "030 / 555 012"]), phone],
    ["a name of something else", list(["Name", "Moss Tent"], ["Price", "€289.00"]), name],
    [
      "the name elsewhere",
      list(["Name", "Jo Doe"], ["Arrival", "2026-12-01"], ["For", "Berg, Anna / Anna Berg"]),
      name,
    ],
    ["several rows", table(["Arrival", "Room"], ["2026-12-03", "A"], ["2026-12-05", "B"]), arrival],
    ["a sum in the cart", table(["Product", "Quantity"], ["Tent", "3"]), enter(booking, "Quantity", "2")],
  ])("%s is no contradiction", (_what, part, step) => {
    expect(find(review(part), step)).toBeNull();
  });
});

function table(head: readonly string[], ...rows: readonly (readonly string[])[]): ObservedNode {
  const row = (role: string, texts: readonly string[]) => box("row", ...texts.map((text) => node(role, text)));
  return box("table", row("columnheader", head), ...rows.map((texts) => row("cell", texts)));
}

test.each([
  ["Doe, Jane", "Jane Doe", false],
  ["J. Doe", "Jane Doe", false],
  ["John Doe", "Jane Doe", true],
  ["17 Millstone Rd", "17 Millstone Road", false],
  ["Zürich", "zuerich", false],
  ["DE", "Germany", false],
  ["•••• 4242", "4111 1111 1111 4242", false],
  ["€1,234.50", "1234.5", false],
  ["€20.00", "30", true],
  ["2:30 pm", "14:30", false],
  ["3:30 pm", "14:30", true],
  ["12/01/2026", "2026-12-01", false],
  ["Same as billing", "Lindenallee 12", false],
])("%s differs from %s: %s", (shown, entered, isOther) => {
  expect(differs(shown, entered)).toBe(isOther);
});
