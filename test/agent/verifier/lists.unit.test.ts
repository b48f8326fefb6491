import { describe, expect, test } from "vitest";
import type { Fact } from "../../../src/agent/grounding/claim.ts";
import { checkFiltered } from "../../../src/agent/verifier/check-filtered.ts";
import { checkOpened } from "../../../src/agent/verifier/check-opened.ts";
import { checkSearched } from "../../../src/agent/verifier/check-searched.ts";
import type { ObservedNode } from "../../../src/browser/observation/observation.ts";
import { field, node } from "../../_harness/observed.ts";
import {
  area,
  button,
  click,
  FETCH,
  fill,
  items,
  link,
  page,
  type Run,
  SITE,
  text,
  title,
  toCase,
} from "../../_harness/site-run.ts";

const words = (name: string) => node("text", name);
const row = (...cells: ObservedNode[]) => area("row", ...cells.map((cell) => area("cell", cell)));
const table = (columns: string[], ...rows: (string | ObservedNode)[][]) =>
  area(
    "table",
    area("row", ...columns.map((name) => node("columnheader", name))),
    ...rows.map((cells) => row(...cells.map((cell) => (typeof cell === "string" ? words(cell) : cell)))),
  );

/** The run, with an answer that cites these texts of a page. */
function answering(run: Run, path: string, ...quotes: string[]) {
  const facts = quotes.map((quote, index): Fact => ({ label: `${index}`, value: quote, quote, url: SITE + path }));
  return { ...toCase(run), claim: { answer: quotes.join(), facts, conditions: [], extraction: null } };
}

describe("a list that was filtered", () => {
  const select = (label: string, options: string[], value: string) =>
    node("combobox", label, {
      ref: label,
      field: field("select"),
      value,
      children: options.map((name) => node("option", name, { states: { selected: name === value } })),
    });
  const choose = (label: string, option: string, on: number, sends?: typeof FETCH) => ({
    call: { action: "select", input: { label, options: [option] } },
    on,
    ...(sends === undefined ? {} : { sends }),
  });
  const STATES = ["All", "Open", "In progress", "Done", "Unresolved"];
  const ALL = [
    ["T-1", "Open"],
    ["T-2", "In progress"],
    ["T-3", "Done"],
  ];
  interface Filter {
    label?: string;
    options?: string[];
    chosen?: string;
    /** The column of the options. */
    column?: string;
    before?: string[][];
    after: string[][];
  }
  const filter = ({
    label = "Status",
    options = STATES,
    chosen = "Done",
    column = "Status",
    before = ALL,
    after,
  }: Filter) => {
    const shown = (value: string, rows: string[][]) =>
      page("/issues", select(label, options, value), table(["Key", column], ...rows));
    const run = {
      prompt: `Select ${chosen} from ${label}. How many are there?`,
      pages: [shown(options[0] ?? "", before), shown(chosen, after)],
      deeds: [choose(label, chosen, 0)],
    };
    return checkFiltered(answering(run, "/issues", ...after.map(([key = ""]) => key))).length > 0;
  };

  test("shows nothing but what was chosen", () => {
    expect(filter({ after: ALL })).toBe(true);
    expect(filter({ label: "Filter by status", after: ALL })).toBe(true);
    expect(filter({ after: [["T-1", "Open"]] })).toBe(true);
    expect(filter({ after: [["T-3", "Done"]] })).toBe(false);
    expect(filter({ options: ["All", "Open (1)", "Done (1)"], chosen: "Done (1)", after: ALL })).toBe(true);
  });

  test("shows all with an option for all, or for several", () => {
    const done = [["T-3", "Done"]];
    expect(filter({ options: ["Done", "Open", "Alle"], chosen: "Alle", before: done, after: ALL })).toBe(false);
    expect(filter({ chosen: "Unresolved", after: ALL.slice(0, 2) })).toBe(false);
    expect(filter({ chosen: "Unresolved", before: ALL.slice(0, 2), after: ALL.slice(0, 2) })).toBe(false);
  });

  test("may have values of an order, a bound or another column", () => {
    expect(filter({ label: "Sort by", options: ["Key", "Status"], chosen: "Status", after: ALL })).toBe(false);
    const guests = [
      ["Birch", "2"],
      ["Summit", "4"],
    ];
    const numbers = { label: "Sleeps", options: ["1", "2", "4"], column: "Sleeps", chosen: "2" };
    expect(filter({ ...numbers, before: guests, after: guests })).toBe(false);
    const byAuthor = [
      ["T-1", "Mei"],
      ["T-2", "Tom"],
    ];
    const people = { label: "Author", options: ["Anybody", "Mei", "Tom"], column: "Assignee", chosen: "Mei" };
    expect(filter({ ...people, before: [...byAuthor, ["T-3", "Tom"]], after: byAuthor })).toBe(false);
  });

  test("is not what is saved, or stands beside another list that shows it", () => {
    const form = (rows: string[][]) =>
      page("/issues", select("Status", STATES, "Done"), button("Add"), table(["Key", "Status"], ...rows));
    const add: Run = {
      prompt: "Select Done from Status and click Add. How many are there?",
      pages: [form(ALL), form(ALL), form([...ALL, ["T-4", "Done"]])],
      deeds: [choose("Status", "Done", 0), click("Add", 1, FETCH)],
    };
    expect(checkFiltered(answering(add, "/issues", "T-1", "T-4"))).toEqual([]);
    expect(checkFiltered(answering({ ...add, deeds: [choose("Status", "Done", 0, FETCH)] }, "/issues", "T-1"))).toEqual(
      [],
    );
    const recent = table(["Key", "Status", "Seen"], ["T-1", "Open", "today"]);
    const shown = (value: string, rows: string[][]) =>
      page("/issues", select("Status", STATES, value), table(["Key", "Status"], ...rows), recent);
    const beside = {
      ...add,
      pages: [shown("All", ALL), shown("Done", [["T-3", "Done"]])],
      deeds: [choose("Status", "Done", 0)],
    };
    expect(checkFiltered(answering(beside, "/issues", "T-1"))).toEqual([]);
  });

  test("is one of the chosen tab or radio button", () => {
    const mark = (role: string, group: string, name: string, chosen: string) =>
      area(
        role === "tab" ? "tablist" : group,
        ...["All", "Open", "Done"].map((each) =>
          node(role, each, {
            ref: each,
            states: { selected: each === name && role === "tab", checked: each === name && role === "radio" },
          }),
        ),
        words(chosen),
      );
    const isRefused = (role: string, action: string, after: string[][]) => {
      const shown = (name: string, rows: string[][]) =>
        page("/issues", mark(role, "radiogroup", name, ""), table(["Key", "Status"], ...rows));
      const input = action === "check" ? { label: "Done", checked: true } : { label: "Done" };
      const run = {
        prompt: "Choose Done. How many are there?",
        pages: [
          shown(
            "All",
            ALL.filter(([, state]) => state !== "In progress"),
          ),
          shown("Done", after),
        ],
        deeds: [{ call: { action, input }, on: 0 }],
      };
      return checkFiltered(answering(run, "/issues", ...after.map(([key = ""]) => key))).length > 0;
    };
    const same = ALL.filter(([, state]) => state !== "In progress");
    expect([isRefused("tab", "click", same), isRefused("radio", "check", same)]).toEqual([true, true]);
    expect([isRefused("tab", "click", [["T-3", "Done"]]), isRefused("radio", "check", [["T-3", "Done"]])]).toEqual([
      false,
      false,
    ]);
  });
});

describe("a list that was searched", () => {
  const search = (value: string) =>
    node("searchbox", "Search issues", { ref: "Search issues", field: field("search"), value });
  const shown = (value: string, ...names: string[]) =>
    page("/issues", search(value), table(["Key", "Title"], ...names.map((name, index) => [`T-${index + 1}`, name])));
  const searched = (query: string, before: string[], after: string[], more: Partial<Run> = {}) => {
    const run = {
      prompt: `Search for ${query} and list the titles.`,
      pages: [shown("", ...before), shown(query, ...after)],
      deeds: [fill("Search issues", query, 0)],
      ...more,
    };
    return checkSearched(answering(run, "/issues", ...after)).length > 0;
  };
  const ALL = ["Login flickers", "Export misses a row", "Dark mode"];

  test("is another one than before, or shows the words in each row", () => {
    expect(searched("export", ALL, ALL)).toBe(true);
    expect(searched("export", ALL, ["Export misses a row"])).toBe(false);
    expect(
      searched("exports", ["Exporting fails", "Export misses a row"], ["Exporting fails", "Export misses a row"]),
    ).toBe(false);
  });

  test("may match what it does not show, or rank what it has", () => {
    expect(searched("spreadsheet", ALL, ["Export misses a row"])).toBe(false);
    expect(searched("export", ALL, ["Export misses a row", "Login flickers", "Dark mode"])).toBe(false);
  });

  test("was searched for that before the run", () => {
    const again = { pages: [shown("spreadsheet", ...ALL), shown("spreadsheet", ...ALL)] };
    expect(searched("spreadsheet", ALL, ALL, again)).toBe(false);
  });

  test("is another list than the one that was searched, or the search was taken back", () => {
    const found = (value: string, ...people: string[]) =>
      page("/issues", search(value), items(...people), ...shown(value, ...ALL).children.slice(1));
    expect(searched("vera", ALL, ALL, { pages: [found("", "Mei, Berlin"), found("vera", "Vera, Bonn")] })).toBe(false);
    const pages = [shown("", ...ALL), shown("export", "Export misses a row"), shown("", ...ALL, "New one")];
    expect(searched("export", ALL, ALL, { pages })).toBe(false);
  });

  test("led to a row that shows nothing of it", () => {
    const list = (value: string) =>
      page(
        "/issues",
        search(value),
        table(["Title", "State"], ...ALL.map((name, index) => [link(name, `/issues/${index}`), "Open"])),
      );
    const open = (name: string) => {
      const run = {
        prompt: "Search for export, open the first result and tell me the state.",
        pages: [list(""), list("export"), page("/issues/1", title(name), text("State: Done"))],
        deeds: [fill("Search issues", "export", 0), click(name, 1)],
      };
      return checkSearched(answering(run, "/issues/1", "Done")).length > 0;
    };
    expect([open("Login flickers"), open("Export misses a row")]).toEqual([true, false]);
  });
});

describe("a page that was opened by a name", () => {
  interface Opening {
    name: string;
    page: string[];
    other?: string;
    /** What the row says besides. */
    beside?: string;
    cited?: string;
  }
  const isRefused = ({
    name,
    page: lines,
    other = "Dark mode for charts",
    beside = "Open",
    cited = "/issues/9",
  }: Opening) => {
    const list = table(["Title", "State"], [link(name, "/issues/9"), beside], [link(other, "/issues/4"), beside]);
    const run = {
      prompt: `Open ${name}. Who is the assignee?`,
      pages: [
        page("/issues", title("Issues"), list),
        page("/issues/9", ...lines.map((line) => text(line)), text("Assignee: Tom")),
      ],
      deeds: [click(name, 0)],
    };
    return checkOpened(answering(run, cited, "Tom")).length > 0;
  };
  const name = "Webhook retries too often";

  test("shows a word of it", () => {
    expect(isRefused({ name, page: ["Avatar upload fails"] })).toBe(true);
    expect(isRefused({ name, page: [name] })).toBe(false);
    expect(isRefused({ name, page: ["Webhooks: retry limit"] })).toBe(false);
  });

  test("need not where the name says nothing, does something or is written in other ways", () => {
    const lines = ["Avatar upload fails"];
    expect(isRefused({ name: "View full details", page: lines })).toBe(false);
    expect(isRefused({ name: "Customer record", other: "Customer record", page: lines })).toBe(false);
    expect(isRefused({ name: "Order CK-5102", page: ["CK-5102"] })).toBe(false);
    expect(isRefused({ name: "Friday, 13 March", page: ["2026-03-13"] })).toBe(false);
    expect(isRefused({ name: "Book Summit cabin", page: lines })).toBe(false);
    expect(isRefused({ name: "Your payment is overdue", page: lines })).toBe(false);
  });

  test("need not where it is one of a menu, or the answer comes from elsewhere", () => {
    const menu = area(
      "list",
      ...["Frequent questions", "Account settings"].map((each, index) => area("listitem", link(each, `/${index}`))),
    );
    const run = {
      prompt: "Open Frequent questions. What is the phone number?",
      pages: [page("/", menu), page("/0", title("FAQ"), text("Phone: 555"))],
      deeds: [click("Frequent questions", 0)],
    };
    expect(checkOpened(answering(run, "/0", "555"))).toEqual([]);
    expect(isRefused({ name, page: ["Avatar upload fails"], cited: "/issues" })).toBe(false);
  });
});
