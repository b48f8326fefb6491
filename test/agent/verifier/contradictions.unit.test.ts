import { describe, expect, test } from "vitest";
import { checkBasket } from "../../../src/agent/verifier/check-basket.ts";
import { checkEffect } from "../../../src/agent/verifier/check-effect.ts";
import { checkExtra } from "../../../src/agent/verifier/check-extra.ts";
import { checkUploads } from "../../../src/agent/verifier/check-uploads.ts";
import { checkRowsGone } from "../../../src/agent/verifier/deletions.ts";
import { checkRowsChanged } from "../../../src/agent/verifier/unchanged-rows.ts";
import type { ObservedNode } from "../../../src/browser/observation/observation.ts";
import { runAtOnce } from "../../../src/lib/waiting.ts";
import { field, node } from "../../_harness/observed.ts";
import {
  area,
  button,
  click,
  FETCH,
  FORM,
  fill,
  form,
  items,
  page,
  type Run,
  text,
  title,
  toCase,
} from "../../_harness/site-run.ts";

const button2 = (name: string, ref: string) => node("button", name, { ref });
const row = (...cells: ObservedNode[]) => area("row", ...cells.map((cell) => area("cell", cell)));
const words = (name: string) => node("text", name);
const status = (name: string) => area("status", node("text", name));
const head = (...names: string[]) => area("row", ...names.map((name) => node("columnheader", name)));

describe("a row that is as it was", () => {
  const visit = (name: string, state: string) =>
    row(words(name), words(state), button2("Reschedule", `move ${name}`), button2("Cancel", `cancel ${name}`));
  const visits = (...rows: ObservedNode[]) => [title("Appointments"), area("table", head("No.", "Status"), ...rows)];
  const BEFORE = visits(visit("A-1", "Confirmed"), visit("A-2", "Requested"));
  const MESSAGE = status("Appointment A-2 was cancelled.");
  const cancel = (...fresh: ObservedNode[]): Run => ({
    prompt: "Click Cancel in the row of A-2.",
    pages: [page("/visits", ...BEFORE), page("/visits?done=A-2", MESSAGE, ...fresh)],
    deeds: [click("Cancel", 0, FORM, "cancel A-2")],
  });
  const isRefused = (run: Run) => checkRowsGone(toCase(run)).length > 0;

  test("was not cancelled, whatever the site says under the same path", () => {
    expect(isRefused(cancel(...BEFORE))).toBe(true);
  });

  test("is not the only one that is gone", () => {
    const all = ["A-1", "A-2", "A-3", "A-4", "A-5"];
    const doctors = ["Ada Park", "Tom Reyes", "Priya Nair", "Mei Tanaka", "Vera Lund"];
    const rowOf = (name: string) =>
      row(words(doctors[all.indexOf(name)] ?? ""), words(name), button2("Cancel", `cancel ${name}`));
    const shown = (...names: string[]) => [area("table", head("Doctor", "No.", "Actions"), ...names.map(rowOf))];
    const run = (...fresh: string[]): Run => ({
      ...cancel(...shown(...fresh)),
      pages: [page("/visits", ...shown(...all)), page("/visits", ...shown(...fresh))],
    });
    const isDoubted = (each: Run) => runAtOnce(checkExtra(toCase(each))).length > 0;
    expect(isDoubted(run("A-1", "A-4", "A-5"))).toBe(true);
    expect(isDoubted(run("A-1", "A-3", "A-4", "A-5"))).toBe(false);
    expect(isDoubted(run(...all))).toBe(false);
    expect(isDoubted(run("A-1"))).toBe(false);
  });

  test("was cancelled if it is gone, or says so", () => {
    expect(isRefused(cancel(...visits(visit("A-1", "Confirmed"))))).toBe(false);
    expect(isRefused(cancel(...visits(visit("A-1", "Confirmed"), visit("A-2", "Cancelled"))))).toBe(false);
  });

  test("has not got a third state", () => {
    const task = (name: string, state: string) =>
      row(words(name), words(state), button2("Mark as done", `done ${name}`));
    const tasks = (...rows: ObservedNode[]) => page("/tasks", area("table", head("Task", "Status", ""), ...rows));
    const OTHERS = [task("Sweep", "Done"), task("Paint", "In progress")];
    const mark = (state: string, others = OTHERS): Run => ({
      prompt: "Click Mark as done in the row of Mow.",
      pages: [tasks(task("Mow", "Open"), ...others), tasks(task("Mow", state), ...others)],
      deeds: [click("Mark as done", 0, FETCH, "done Mow")],
    });
    const isDoubted = (run: Run) => checkRowsChanged(toCase(run)).length > 0;
    expect(isDoubted(mark("In progress"))).toBe(true);
    expect(isDoubted(mark("Done"))).toBe(false);
    expect(isDoubted(mark("Done today"))).toBe(false);
    expect(isDoubted(mark("Completed", [task("Paint", "In progress")]))).toBe(false);
  });

  const bill = (name: string, state: string, more: ObservedNode[] = [button2("Mark as paid", `pay ${name}`)]) =>
    row(words(name), words("Larch Ltd"), words(state), ...more);
  const bills = (...rows: ObservedNode[]) =>
    page("/bills", title("Bills"), area("table", head("No.", "Client", "State", "Actions"), ...rows));
  const pay = (before: ObservedNode[], after: ObservedNode[], label = "Mark as paid"): Run => ({
    prompt: `Click ${label} in the row of B-1.`,
    pages: [bills(...before), bills(...after)],
    deeds: [click(label, 0, FETCH, "pay B-1")],
  });
  const isAsBefore = (run: Run) => checkRowsChanged(toCase(run)).length > 0;

  test("has not got the state that others have", () => {
    const before = [bill("B-1", "Sent"), bill("B-2", "Paid")];
    expect(isAsBefore(pay(before, before))).toBe(true);
    expect(isAsBefore(pay(before, [bill("B-1", "Paid"), bill("B-2", "Paid")]))).toBe(false);
    const offered = [bill("B-1", "7 May"), bill("B-2", "8 May", [words("–")])];
    expect(isAsBefore(pay(offered, offered))).toBe(true);
  });

  test("may have it if the page does not show it, or the button changes nothing there", () => {
    const same = [bill("B-1", "7 May"), bill("B-2", "8 May")];
    expect(isAsBefore(pay(same, same))).toBe(false);
    const send = (name: string, state: string) => bill(name, state, [button2("Resend", `pay ${name}`)]);
    const sent = [send("B-1", "Draft"), send("B-2", "Resent")];
    expect(isAsBefore(pay(sent, sent, "Resend"))).toBe(false);
  });

  test("is not what was chosen in the dialog that it opened", () => {
    const plan = (name: string, current: string) =>
      row(
        words(name),
        words("€9.00"),
        words("10 GB"),
        name === current ? words("Current plan") : button2(`Choose ${name}`, name),
      );
    const plans = (current: string, ...more: ObservedNode[]) =>
      page(
        "/plan",
        title("Plans"),
        area("table", ...["Free", "Pro", "Team"].map((name) => plan(name, current))),
        ...more,
      );
    const dialog = area("dialog", title("Switch to Free?"), button("Switch plan"), button("Keep it"));
    const run = (now: string): Run => ({
      prompt: "Click Choose Free and then Switch plan.",
      pages: [plans("Pro"), plans("Pro", dialog), plans(now, status("Your plan was changed"))],
      deeds: [click("Choose Free", 0, undefined, "Free"), click("Switch plan", 1, FETCH)],
    });
    expect([run("Pro"), run("Team"), run("Free")].map(isAsBefore)).toEqual([true, true, false]);
  });

  test("was not sent with a tick, where others say that they were", () => {
    const drug = (name: string, state: string) =>
      row(node("checkbox", `Select ${name}`, { ref: name }), words(name), words(state));
    const drugs = (state: string) =>
      page("/drugs", area("table", drug("Ramipril", state), drug("Ibuprofen", "Requested")), button("Request repeat"));
    const run = (state: string): Run => ({
      prompt: "Tick Select Ramipril and click Request repeat.",
      pages: [drugs("–"), drugs(state)],
      deeds: [
        { call: { action: "check", input: { label: "Select Ramipril", checked: true, ref: "Ramipril" } }, on: 0 },
        click("Request repeat", 0, FORM),
      ],
    });
    expect([run("–"), run("Requested")].map(isAsBefore)).toEqual([true, false]);
  });
});

test("a message is no sign where the page still offers to give it the state", () => {
  const bill = (state: string, ...more: ObservedNode[]) =>
    page("/bills/1", title("Bill 1"), text(state), button("Mark as paid"), ...more);
  const run = (state: string): Run => ({
    prompt: "Click Mark as paid.",
    pages: [bill("Sent"), bill("Sent", status("Bill marked as paid"))],
    deeds: [click("Mark as paid", 0, FETCH)],
    fresh: [bill(state)],
  });
  expect(checkEffect(toCase(run("Sent")))).toHaveLength(1);
  expect(checkEffect(toCase(run("Paid")))).toEqual([]);
});

describe("the basket", () => {
  const quantity = (value: string) => node("spinbutton", "Quantity", { ref: "Quantity", field: field("text"), value });
  const book = (count: number) =>
    page(
      "/book",
      node("link", `Basket (${count})`, { ref: "b" }),
      title("Night Ferry"),
      quantity("1"),
      button("Add to basket"),
    );
  const basket = (count: number, ...children: ObservedNode[]) =>
    page(
      "/basket",
      node("link", `Basket (${count})`, { ref: "b" }),
      title("Your basket"),
      status("✓ Added to your basket"),
      ...children,
    );
  const line = (name: string, value: string) => row(words(name), words("€12.00"), quantity(value));
  const lines = (...rows: ObservedNode[]) => area("table", head("Title", "Price", "Quantity"), ...rows);
  const add = (asked: string | null, before: number, after: ReturnType<typeof page>): Run => ({
    prompt: "Add it to the basket.",
    pages: [book(before), after],
    deeds: [...(asked === null ? [] : [fill("Quantity", asked, 0)]), click("Add to basket", 0, FORM)],
  });
  const verdictOf = (run: Run) => checkBasket(toCase(run)).map(({ verdict }) => verdict);

  test("is empty, whatever the message above says", () => {
    expect(verdictOf(add(null, 0, basket(0, text("Your basket is empty."))))).toEqual(["contradicted"]);
  });

  test("has less than was asked for, or more than was added", () => {
    const holds = (count: number) => basket(count, lines(line("Night Ferry", String(count)), line("Moss", "1")));
    expect(verdictOf(add("3", 0, holds(1)))).toEqual(["contradicted"]);
    expect(verdictOf(add("3", 0, holds(6)))).toEqual(["unknown"]);
    expect(verdictOf(add(null, 0, holds(2)))).toEqual(["unknown"]);
  });

  test("has what was added, beside what was there before", () => {
    const holds = (count: number) => basket(count, lines(line("Night Ferry", String(count)), line("Moss", "1")));
    expect(verdictOf(add("3", 0, holds(3)))).toEqual([]);
    expect(verdictOf(add("3", 2, holds(5)))).toEqual([]);
    // It counts the kinds of things.
    expect(verdictOf(add("3", 0, basket(1, lines(line("Night Ferry", "3"), line("Moss", "1")))))).toEqual([]);
  });
});

describe("what a fresh page shows besides what was asked for", () => {
  const isExtra = (run: Run) => runAtOnce(checkExtra(toCase(run))).length > 0;
  const FIELD = node("textbox", "Key name", { ref: "Key name", field: field("text") });
  const key = (name: string) => row(words(name), words("today"), words("read"), button2("Delete", `delete ${name}`));
  const keys = (...names: string[]) =>
    page(
      "/keys",
      title("Keys"),
      area("table", head("Name", "Created", "Scope", "Actions"), ...names.map(key)),
      FIELD,
      button("Create key"),
    );
  const create = (...after: string[]): Run => ({
    prompt: "Type Photo uploader into Key name and click Create key.",
    pages: [keys("Backup", "Old laptop"), keys("Backup", "Old laptop", "Photo uploader")],
    deeds: [fill("Key name", "Photo uploader", 0), click("Create key", 0, form("name=Photo+uploader"))],
    fresh: [keys(...after)],
  });

  test("a second row", () => {
    expect(isExtra(create("Backup", "Old laptop", "Photo uploader", "Photo uploader"))).toBe(true);
    expect(isExtra(create("Backup", "Old laptop", "Photo uploader"))).toBe(false);
  });

  test("but not one that was there before, nor one for each time that it was sent", () => {
    const again = create("Backup", "Photo uploader", "Photo uploader");
    expect(isExtra({ ...again, pages: [keys("Backup", "Photo uploader"), keys("Backup", "Photo uploader")] })).toBe(
      false,
    );
    const twice = create("Backup", "Old laptop", "Photo uploader", "Photo uploader");
    const [fills, sends] = twice.deeds;
    if (fills === undefined || sends === undefined) throw new Error("No deeds.");
    expect(isExtra({ ...twice, deeds: [fills, sends, sends] })).toBe(false);
  });

  test("a second comment, also where comments read as labels with values", () => {
    const COMMENT = node("textbox", "Add a comment", { ref: "Add a comment", field: field("text") });
    const thread = (...texts: string[]) =>
      page("/issues/4", title("Dark mode"), items(...texts), COMMENT, button("Comment"));
    const said = "Ada: I will take this";
    const comment = (...texts: string[]): Run => ({
      prompt: 'Type "I will take this" into Add a comment and click Comment.',
      pages: [thread("Mei: Use our colours."), thread("Mei: Use our colours.", said)],
      deeds: [fill("Add a comment", "I will take this", 0), click("Comment", 0, FETCH)],
      fresh: [thread("Mei: Use our colours.", ...texts)],
    });
    expect(isExtra(comment(said, said))).toBe(true);
    expect(isExtra(comment(said))).toBe(false);
    expect(isExtra(comment(said, "Bot: Ada said I will take this"))).toBe(false);
  });

  test("but not one for each field that the same was entered into", () => {
    const names = (...texts: string[]) => page("/name", items("Names", ...texts), button("Save"));
    const run: Run = {
      prompt: "Set First name to Ada and Last name to Ada and save.",
      pages: [names("Mei", "Tom"), names("Ada", "Ada")],
      deeds: [fill("First name", "Ada", 0), fill("Last name", "Ada", 0), click("Save", 0, FETCH)],
    };
    expect(isExtra(run)).toBe(false);
  });

  test("a row in another part of the page than the one where it was entered", () => {
    const part = (name: string, tasks: string[]) =>
      node("region", name, {
        children: [
          ...tasks.map((task) => text(task)),
          node("textbox", `Add to ${name}`, { ref: name, field: field("text") }),
        ],
      });
    const board = (todo: string[], doing: string[]) => page("/board", part("To do", todo), part("In progress", doing));
    const run = (fresh: ReturnType<typeof page>): Run => ({
      prompt: 'Type "Prepare the demo" into Add to In progress and press Enter.',
      pages: [board([], []), board([], ["Prepare the demo"])],
      deeds: [
        {
          call: {
            action: "fill",
            input: { label: "Add to In progress", ref: "In progress", text: "Prepare the demo" },
          },
          on: 0,
        },
        { call: { action: "press", input: { key: "Enter" } }, on: 0, sends: FETCH },
      ],
      fresh: [fresh],
    });
    expect(isExtra(run(board(["Prepare the demo"], [])))).toBe(true);
    expect(isExtra(run(board([], ["Prepare the demo"])))).toBe(false);
  });

  const toggles = (weekly: boolean, push: boolean) =>
    page(
      "/notices",
      ...Object.entries({ weekly, push }).map(([name, checked]) =>
        node("switch", name, { ref: name, states: { checked } }),
      ),
    );
  const turnOn = (own: ReturnType<typeof page>, fresh: ReturnType<typeof page>): Run => ({
    prompt: "Turn on weekly.",
    pages: [toggles(false, true), own],
    deeds: [{ call: { action: "check", input: { label: "weekly", checked: true } }, on: 0, sends: FETCH }],
    fresh: [fresh],
  });

  test("a switch that nobody touched", () => {
    expect(isExtra(turnOn(toggles(true, true), toggles(true, false)))).toBe(true);
    expect(isExtra(turnOn(toggles(true, true), toggles(true, true)))).toBe(false);
    // The page turns it off along with the other one.
    expect(isExtra(turnOn(toggles(true, false), toggles(true, false)))).toBe(false);
  });

  test("a box that a form did not change, on the page that came", () => {
    const boxes = (weekly: boolean, sms: boolean) =>
      page(
        "/profile",
        ...Object.entries({ weekly, sms }).map(([name, checked]) =>
          node("checkbox", name, { ref: name, states: { checked } }),
        ),
        button("Save"),
        button("Publish"),
      );
    const save = (filled: ReturnType<typeof page>, after: ReturnType<typeof page>, label = "Save"): Run => ({
      prompt: `Untick weekly and click ${label}.`,
      pages: [boxes(true, false), filled, after],
      deeds: [
        { call: { action: "check", input: { label: "weekly", checked: false } }, on: 0 },
        click(label, 1, form("a=b")),
      ],
    });
    const filled = boxes(false, false);
    expect(isExtra(save(filled, boxes(false, true)))).toBe(true);
    expect(isExtra(save(filled, boxes(false, false)))).toBe(false);
    // The page itself turned it on, or it is what the button is for.
    expect(isExtra(save(boxes(false, true), boxes(false, true)))).toBe(false);
    expect(isExtra(save(filled, boxes(false, true), "Publish"))).toBe(false);
    // What a bulk action was for is not ticked any more.
    expect(isExtra(save(boxes(false, true), boxes(false, false)))).toBe(false);
    // The page was not seen with what was entered.
    const [entry, commit] = save(filled, boxes(false, true)).deeds;
    if (entry === undefined || commit === undefined) throw new Error("No deeds.");
    expect(isExtra({ ...save(filled, boxes(false, true)), deeds: [entry, { ...commit, on: 0 }] })).toBe(false);
  });
});

describe("a file that was uploaded", () => {
  const files = (...names: string[]) =>
    page("/files", area("table", ...names.map((name) => row(words(name), words("4 KB")))), button("Upload file"));
  const upload = (before: ReturnType<typeof page>, after: ReturnType<typeof page>): Run => ({
    prompt: "Upload todo.txt.",
    pages: [before, after],
    deeds: [
      { call: { action: "upload", input: { label: "Choose a file", name: "todo.txt", content: "film" } }, on: 0 },
      click("Upload file", 0, FORM),
    ],
  });
  const isMissing = (run: Run) => checkUploads(toCase(run)).length > 0;

  test("is in the list of files", () => {
    const before = files("notes.txt", "cover.jpg");
    expect(isMissing(upload(before, before))).toBe(true);
    expect(isMissing(upload(before, files("notes.txt", "cover.jpg", "upload.bin")))).toBe(true);
    expect(isMissing(upload(before, files("notes.txt", "cover.jpg", "todo.txt")))).toBe(false);
  });

  test("is no empty one there", () => {
    const before = files("notes.txt", "cover.jpg");
    const sized = (size: string) =>
      page("/files", area("table", row(words("notes.txt"), words("0 B")), row(words("todo.txt"), words(size))));
    expect(isMissing(upload(before, sized("0 B")))).toBe(true);
    expect(isMissing(upload(before, sized("0 bytes")))).toBe(true);
    expect(isMissing(upload(before, sized("0 KB")))).toBe(false);
    expect(isMissing(upload(before, sized("4 B")))).toBe(false);
    const first = page("/files", items("todo.txt (0 bytes)"), button("Upload file"));
    expect(isMissing(upload(page("/files", button("Upload file")), first))).toBe(true);
  });

  test("may be known to a page that lists none", () => {
    const form = page("/files", text("Upload a file such as cv.pdf"), button("Upload file"));
    expect(isMissing(upload(form, page("/files", text("Thank you."))))).toBe(false);
  });
});
