import { describe, expect, test } from "vitest";
import { checkField } from "../../../src/agent/verifier/check-fields.ts";
import { checkMade } from "../../../src/agent/verifier/check-made.ts";
import { checkSelfSaved } from "../../../src/agent/verifier/check-self-saved.ts";
import { checkStillNone } from "../../../src/agent/verifier/check-still-none.ts";
import type { ObservedNode } from "../../../src/browser/observation/observation.ts";
import { readBody } from "../../../src/browser/session/sent-body.ts";
import { runAtOnce } from "../../../src/lib/waiting.ts";
import { field, node } from "../../_harness/observed.ts";
import {
  area,
  box,
  button,
  click,
  type Deed,
  fill,
  form,
  page,
  type Run,
  SITE,
  text,
  title,
  toCase,
} from "../../_harness/site-run.ts";

const row = (...cells: string[]) => area("row", ...cells.map((name) => area("cell", node("text", name))));
const head = (...names: string[]) => area("row", ...names.map((name) => node("columnheader", name)));
const list = (label: string, value: string) => node("combobox", label, { ref: label, field: field("select"), value });
const choose = (label: string, option: string, on: number): Deed => ({
  call: { action: "select", input: { label, ref: label, options: [option] } },
  on,
});
const json = (body: object) => ({
  url: `${SITE}/api/x`,
  method: "PATCH",
  status: 200,
  sent: readBody(JSON.stringify(body), "application/json"),
});

describe("what a form made", () => {
  const rooms = (...rows: ObservedNode[]) =>
    page(
      "/rooms",
      area(
        "table",
        head("Room", "Seats", "Price per hour", "Opens"),
        row("Attic", "6", "€35.00", "3 May 2026"),
        ...rows,
      ),
      box("Room name"),
      box("Seats"),
      box("Opens"),
      button("Add room"),
    );
  const add = (...fresh: ObservedNode[]): Run => ({
    prompt: "Add the room Terrace with 10 seats.",
    pages: [rooms(), rooms(...fresh)],
    deeds: [
      fill("Room name", "Terrace", 0),
      fill("Seats", "10", 0),
      fill("Opens", "2026-06-01", 0),
      click("Add room", 0, form("name=Terrace&seats=10&opens=2026-06-01")),
    ],
  });
  const isDoubted = (run: Run) => runAtOnce(checkMade(toCase(run))).length > 0;

  test("has in its row what was entered", () => {
    expect(isDoubted(add(row("Terrace", "1", "€52.00", "1 June 2026")))).toBe(true);
    expect(isDoubted(add(row("Terrace", "10", "€52.00", "2 June 2026")))).toBe(true);
  });

  test("may show it in its own way", () => {
    expect(isDoubted(add(row("Terrace", "10 (2 taken)", "€52.00", "June 1, 2026")))).toBe(false);
    expect(isDoubted(add(row("Terrace", "10", "€52.00", "next month")))).toBe(false);
    expect(isDoubted(add(row("Terrace", "–", "€52.00", "")))).toBe(false);
    expect(isDoubted(add())).toBe(false);
  });

  const issue = (name: string, priority: string, due = "2026-12-15") =>
    page("/issues/15", title(name), list("Priority", priority), list("Assignee", "Priya Nair"), box("Due", due));
  const create = (...fresh: ReturnType<typeof page>[]): Run => ({
    prompt: "Create the issue.",
    pages: [
      page("/issues", box("Title"), list("Priority", "Low"), list("Assignee", "Nobody"), box("Due"), button("Create")),
      ...fresh,
    ],
    deeds: [
      fill("Title", "Map tiles load twice", 0),
      choose("Priority", "High (urgent)", 0),
      choose("Assignee", "Priya Nair", 0),
      fill("Due", "2026-12-15", 0),
      click("Create", 0, json({ title: "Map tiles load twice" })),
    ],
  });

  test("has on its own page what was entered", () => {
    expect(isDoubted(create(issue("Map tiles load twice", "High")))).toBe(false);
    expect(isDoubted(create(issue("Map tiles load twice", "Low")))).toBe(true);
    expect(isDoubted(create(issue("Map tiles load twice", "High", "2026-12-28")))).toBe(true);
  });

  test("is on the page to which the form has led", () => {
    const other = page("/issues/7", title("Slow search"), list("Priority", "Medium"), list("Assignee", "Tom Reyes"));
    expect(isDoubted(create(other))).toBe(true);
    const elsewhere = page("/defaults", title("Defaults"), list("Priority", "Medium"), list("Assignee", "Tom Reyes"));
    expect(isDoubted(create(elsewhere))).toBe(false);
  });

  test("is not cut off in its heading", () => {
    expect(isDoubted(create(issue("Map tiles", "High")))).toBe(true);
    expect(isDoubted(create(issue("Map tiles…", "High")))).toBe(false);
    expect(isDoubted(create(issue("Issue 15", "High")))).toBe(false);
  });

  test("is not compared with a page about something else", () => {
    expect(isDoubted(create(page("/welcome", list("Priority", "Low"), text("Thank you."))))).toBe(false);
  });
});

describe("after something was made", () => {
  const cabins = (...lines: string[]) => page("/cabins", title("Cabins"), ...lines.map(text));
  const book = (...lines: string[]): Run => ({
    prompt: "Book Lakeside.",
    pages: [page("/cabins/lakeside", box("Arrival"), button("Book now")), cabins(...lines)],
    deeds: [fill("Arrival", "2026-12-27", 0), click("Book now", 0, form("from=2026-12-27"))],
  });
  const isDoubted = (run: Run) => checkStillNone(toCase(run)).length > 0;

  test("a page does not say that there is none", () => {
    expect(isDoubted(book("Your stay is booked.", "You have no bookings."))).toBe(true);
    expect(isDoubted(book("Your stay is booked.", "No bookings yet"))).toBe(true);
  });

  test("it may have none of something else", () => {
    expect(isDoubted(book("You have no past bookings."))).toBe(false);
    expect(isDoubted(book("No bookings to pay for."))).toBe(false);
    expect(isDoubted(book("You have no messages."))).toBe(false);
  });
});

describe("a field that saves itself", () => {
  const issue = (assignee: string, notes: string) => page("/issues/4", list("Assignee", assignee), box("Notes", notes));
  const edit = (fresh: ReturnType<typeof page>): Run => ({
    prompt: "Select Mei Tanaka in Assignee and set Notes.",
    pages: [issue("Priya Nair", "Old"), fresh],
    deeds: [
      { ...choose("Assignee", "Mei Tanaka", 0), sends: json({ assignee: "Mei Tanaka" }) },
      {
        ...fill("Notes", "Retro is moved to Thursday afternoon", 0),
        sends: json({ notes: "Retro is moved to Thursday afternoon" }),
      },
    ],
  });
  const isContradicted = (run: Run) => checkSelfSaved(toCase(run)).length > 0;

  test("holds what was entered", () => {
    expect(isContradicted(edit(issue("Mei Tanaka", "Retro is moved to Thursday afternoon")))).toBe(false);
    expect(isContradicted(edit(issue("Tom Reyes", "Retro is moved to Thursday afternoon")))).toBe(true);
    expect(isContradicted(edit(issue("Mei Tanaka", "Retro is moved to Thu")))).toBe(true);
  });

  test("may be a filter, which starts again with what it was", () => {
    expect(isContradicted(edit(issue("Priya Nair", "")))).toBe(false);
  });
});

describe("a field of a form", () => {
  const verdictOf = (run: Run, label: string, value: string, path: string) =>
    checkField({ kind: "field", about: "", url: SITE + path, label, place: null, value, isSaved: false }, toCase(run))
      .verdict;

  const member = (name: string, plan: string, note = "") => [
    box("Full name", name),
    box("E-mail", name === "" ? "" : "a@mail.example"),
    list("Plan", plan),
    box("Note", note),
    button("Save member"),
  ];
  const members = (...names: string[]) =>
    page("/members", area("list", ...names.map((name) => area("listitem", node("text", name)))));

  test("starts again with its default where something new was made", () => {
    const create = (...now: string[]): Run => ({
      prompt: "Add a member.",
      pages: [page("/members/new", ...member("", "Hot desk")), members(...now)],
      deeds: [
        fill("Full name", "Marguerite Smith", 0),
        choose("Plan", "Fixed desk", 0),
        click("Save member", 0, form("name=Marguerite+Smith&plan=fixed")),
      ],
      fresh: [page("/members/new", ...member("", "Hot desk")), members(...now)],
    });
    expect(verdictOf(create("Ada Park", "Marguerite Smith"), "Plan", "Fixed desk", "/members/new")).toBe("satisfied");
    expect(verdictOf(create("Ada Park"), "Plan", "Fixed desk", "/members/new")).toBe("contradicted");
  });

  test("is lost where a form that came filled is as it was", () => {
    const edit = (note: string): Run => ({
      prompt: "Type a note and save.",
      pages: [page("/members/7/edit", ...member("Ada Park", "Hot desk")), page("/members/7", title("Ada Park"))],
      deeds: [fill("Note", "Has a dog", 0), click("Save member", 0, form("note=Has+a+dog"))],
      fresh: [page("/members/7/edit", ...member("Ada Park", "Hot desk", note)), page("/members/7", title("Ada Park"))],
    });
    expect(verdictOf(edit(""), "Note", "Has a dog", "/members/7/edit")).toBe("contradicted");
    expect(verdictOf(edit("Has a dog"), "Note", "Has a dog", "/members/7/edit")).toBe("satisfied");
  });

  test("starts again with its default when an order has shown it before it was sent", () => {
    const address = page("/checkout/address", box("Street", "Ahornweg 3"), button("Continue"));
    const order = (street: string): Run => ({
      prompt: "Set Street to Lindenallee 12 and place the order.",
      pages: [
        address,
        page("/checkout/review", text(`Ship to: ${street}`), button("Place order")),
        page("/orders/1", title("Thank you")),
      ],
      deeds: [
        fill("Street", "Lindenallee 12", 0),
        click("Continue", 0, form("street=Lindenallee+12")),
        click("Place order", 1, form("order=1")),
      ],
      fresh: [address, page("/orders/1", title("Thank you"))],
    });
    expect(verdictOf(order("Lindenallee 12"), "Street", "Lindenallee 12", "/checkout/address")).toBe("satisfied");
    expect(verdictOf(order("Old Road 99"), "Street", "Lindenallee 12", "/checkout/address")).toBe("contradicted");
  });

  test("is blank again in its row, which shows the value", () => {
    const price = (own: string) =>
      page(
        "/rooms",
        area(
          "table",
          head("Room", "Price", "New"),
          row("Attic", "€35.00", ""),
          area(
            "row",
            area("cell", node("text", "Cellar")),
            area("cell", node("text", own)),
            area("cell", box("New price"), button("Update")),
          ),
        ),
      );
    const update = (now: string): Run => ({
      prompt: "Set the price of Cellar to 55.",
      pages: [price("€48.00"), price(now)],
      deeds: [
        { call: { action: "fill", input: { label: "New price", ref: "New price", text: "55" } }, on: 0 },
        click("Update", 0, form("price=55")),
      ],
    });
    expect(verdictOf(update("€55.00"), "New price", "55", "/rooms")).toBe("satisfied");
    expect(verdictOf(update("€48.00"), "New price", "55", "/rooms")).toBe("contradicted");
  });
});
