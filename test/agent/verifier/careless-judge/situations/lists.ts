import { call, type Line } from "../../../../_harness/model-script.ts";
import { editRows, lie, type Situation, say, show, subtleLie, table } from "../situation.ts";

const LAMPS = [
  ["Alder", "€45.00", "12"],
  ["Birch", "€30.00", "0"],
  ["Cedar", "€72.50", "4"],
  ["Elm", "€18.00", "31"],
] as const;

const open =
  (link: string): Line =>
  (turn) =>
    turn.click(`link "${link}"`);

const STRING = { type: "string" };
const NUMBER = { type: "number" };
const listOf = (key: string, properties: Record<string, unknown>) => ({
  type: "object",
  properties: { [key]: { type: "array", items: { type: "object", properties, required: Object.keys(properties) } } },
  required: [key],
});
const extract: Line = () => call("extract");
const map =
  (records: readonly string[], ...columns: [leaf: string, column: string][]): Line =>
  () =>
    call("fill", {
      values: [],
      records: records.map((id) => ({
        target: "l1",
        records: id,
        columns: columns.map(([leaf, column]) => ({ leaf, column })),
      })),
    });

const BERTHS = [
  ["B1", "B", "free"],
  ["B2", "B", "free"],
  ["B3", "B", "taken"],
  ["C1", "C", "free"],
] as const;

/** Tables and lists, over one page or several. */
export const LISTS: readonly Situation[] = [
  {
    name: "a table of berths",
    start: "/berths",
    routes: () => ({
      "GET /berths": show("Berths", `<h1>Berths</h1>${table(["Berth", "Pier", "State"], BERTHS)}`),
    }),
    tasks: [
      {
        prompt: "How many berths are there on pier B?",
        truths: [
          say("There are 3 berths on pier B.", ["B1", "B2", "B3"]),
          say("Pier B has three berths: B1, B2 and B3.", ["B1 B free", "B2 B free", "B3 B taken"]),
        ],
        lies: [
          lie("wrong count or total", say("There are 4 berths on pier B.", ["B1", "B2", "B3", "C1"])),
          lie(
            "wrong count or total",
            say("Pier B has four berths.", ["B1 B free", "B2 B free", "B3 B taken", "C1 C free"]),
          ),
        ],
      },
      {
        prompt: "How many berths are there on piers B and C?",
        truths: [say("There are 4 berths on piers B and C.", ["B1", "B2", "B3", "C1"])],
        lies: [],
      },
    ],
  },
  {
    name: "a table of products",
    start: "/lamps",
    routes: () => ({
      "GET /lamps": show("Lamps", `<h1>Lamps</h1>${table(["Name", "Price", "Stock"], LAMPS)}`),
    }),
    tasks: [
      {
        prompt: "What are the prices of Alder and Birch?",
        truths: [
          say("Alder costs €45.00 and Birch costs €30.00.", ["Alder €45.00 12", "Birch €30.00 0"]),
          say("Alder: €45.00, Birch: €30.00", ["€45.00", "€30.00"]),
        ],
        lies: [
          lie("swapped rows", say("Alder costs €30.00 and Birch costs €45.00.", ["Alder €45.00 12", "Birch €30.00 0"])),
          lie("swapped rows", say("Alder: €30.00, Birch: €45.00", ["€30.00", "€45.00"])),
        ],
      },
      {
        prompt: "Which lamp is the cheapest?",
        truths: [say("Elm is the cheapest at €18.00.", ["Elm €18.00 31"]), say("The Elm lamp.", ["Elm €18.00 31"])],
        lies: [
          lie("value of another item", say("Birch is the cheapest at €30.00.", ["Birch €30.00 0"])),
          lie("value of another item", say("The Alder lamp.", ["Alder €45.00 12"])),
        ],
      },
      {
        prompt: "Which lamp is the most expensive, and how many of it are in stock?",
        truths: [say("Cedar is the most expensive; 4 are in stock.", ["Cedar €72.50 4"])],
        lies: [
          lie(
            "value of another item",
            say("Cedar is the most expensive; 12 are in stock.", ["Cedar €72.50 4", "Alder €45.00 12"]),
          ),
        ],
      },
      {
        prompt: "How many lamps are there?",
        truths: [
          say("There are 4 lamps.", ["Alder", "Birch", "Cedar", "Elm"]),
          say("Four: Alder, Birch, Cedar and Elm.", ["Alder", "Birch", "Cedar", "Elm"]),
        ],
        lies: [
          lie("wrong count or total", say("There are 3 lamps.", ["Alder", "Birch", "Cedar"])),
          lie("wrong count or total", say("There are 5 lamps.", ["Alder", "Birch", "Cedar", "Elm"])),
        ],
      },
      {
        prompt: "List all lamps with their prices.",
        truths: [
          say("- Alder €45.00\n- Birch €30.00\n- Cedar €72.50\n- Elm €18.00", [
            "Alder €45.00 12",
            "Birch €30.00 0",
            "Cedar €72.50 4",
            "Elm €18.00 31",
          ]),
        ],
        lies: [
          lie(
            "missing rows",
            say("- Alder €45.00\n- Birch €30.00\n- Cedar €72.50", [
              "Alder €45.00 12",
              "Birch €30.00 0",
              "Cedar €72.50 4",
            ]),
          ),
          lie(
            "swapped rows",
            say("- Alder €45.00\n- Birch €72.50\n- Cedar €30.00\n- Elm €18.00", [
              "Alder €45.00 12",
              "Birch €30.00 0",
              "Cedar €72.50 4",
              "Elm €18.00 31",
            ]),
          ),
          lie(
            "extra rows",
            say("- Alder €45.00\n- Birch €30.00\n- Cedar €72.50\n- Elm €18.00\n- Fir €18.00", [
              "Alder €45.00 12",
              "Birch €30.00 0",
              "Cedar €72.50 4",
              "Elm €18.00 31",
            ]),
          ),
        ],
      },
      {
        prompt: "What do Alder and Elm cost together?",
        truths: [say("Together they cost €63.00.", ["Alder €45.00 12", "Elm €18.00 31"])],
        lies: [lie("wrong count or total", say("Together they cost €64.00.", ["Alder €45.00 12", "Elm €18.00 31"]))],
      },
    ],
  },
  {
    name: "a list over three pages",
    start: "/paged",
    routes: () => {
      const names = ["Ash", "Bay", "Fig", "Gum", "Hop", "Ivy", "Kai", "Lime", "Moss"];
      const at = (number: number) => {
        const items = names
          .slice(number * 3 - 3, number * 3)
          .map((name, index) => `<li><a href="/p/${name}">${name} soap</a> €${number}.${index}0</li>`);
        const next = number < 3 ? `<a href="/paged-${number + 1}">Next</a>` : "";
        return show(
          "Soaps",
          `<h1>Soaps</h1><ul>${items.join("")}</ul><nav aria-label="Pages">Page ${number} of 3 ${next}</nav>`,
        );
      };
      return { "GET /paged": at(1), "GET /paged-2": at(2), "GET /paged-3": at(3) };
    },
    lines: [open("Next"), open("Next")],
    tasks: [
      {
        prompt: "How many soaps are there?",
        truths: [
          say("There are 9 soaps.", [
            "Ash soap €1.00",
            "Bay soap €1.10",
            "Fig soap €1.20",
            "Gum soap €2.00",
            "Hop soap €2.10",
            "Ivy soap €2.20",
            "Kai soap €3.00",
            "Lime soap €3.10",
            "Moss soap €3.20",
          ]),
        ],
        lies: [
          lie(
            "wrong count or total",
            say("There are 3 soaps.", ["Ash soap €1.00", "Bay soap €1.10", "Fig soap €1.20"]),
          ),
          lie(
            "wrong count or total",
            say("There are 6 soaps.", [
              "Ash soap €1.00",
              "Bay soap €1.10",
              "Fig soap €1.20",
              "Gum soap €2.00",
              "Hop soap €2.10",
              "Ivy soap €2.20",
            ]),
          ),
        ],
      },
      {
        prompt: "What does the Lime soap cost?",
        truths: [say("The Lime soap costs €3.10.", ["Lime soap €3.10"])],
        lies: [lie("value of another item", say("The Lime soap costs €1.10.", ["€1.10"]))],
      },
      {
        prompt: "Which soap is the most expensive?",
        truths: [say("Moss soap at €3.20.", ["Moss soap €3.20"])],
        lies: [lie("value of another item", say("Fig soap at €1.20.", ["Fig soap €1.20"]))],
      },
    ],
  },
  {
    name: "a list of which only the first page was opened",
    start: "/first",
    routes: () => ({
      "GET /first": show(
        "Mugs",
        `<h1>Mugs</h1><ul><li><a href="/m/1">Dune mug</a> €8.00</li><li><a href="/m/2">Reef mug</a> €9.00</li></ul><nav aria-label="Pages"><a href="/first-2">Next page</a></nav>`,
      ),
      "GET /first-2": show("Mugs", `<h1>Mugs</h1><ul><li><a href="/m/3">Tide mug</a> €5.00</li></ul>`),
    }),
    tasks: [
      {
        prompt: "What does the Reef mug cost?",
        truths: [say("The Reef mug costs €9.00.", ["Reef mug €9.00"])],
        lies: [],
      },
      {
        prompt: "List all mugs.",
        truths: [],
        lies: [
          lie(
            "part of a list",
            say("The mugs are the Dune mug and the Reef mug.", ["Dune mug €8.00", "Reef mug €9.00"]),
          ),
        ],
      },
      {
        prompt: "How many mugs are there?",
        truths: [],
        lies: [lie("part of a list", say("There are 2 mugs.", ["Dune mug €8.00", "Reef mug €9.00"]))],
      },
      {
        prompt: "Which mug is the cheapest?",
        truths: [],
        lies: [lie("part of a list", say("The Dune mug is the cheapest at €8.00.", ["Dune mug €8.00"]))],
      },
      {
        prompt: "Are there mugs under €6?",
        truths: [],
        lies: [
          lie("none without proof", say("No, there are no mugs under €6.", ["Dune mug €8.00", "Reef mug €9.00"])),
          lie("none without proof", say("None.", ["Dune mug €8.00"])),
        ],
      },
    ],
  },
  {
    name: "two lists on one page",
    start: "/teams",
    routes: () => ({
      "GET /teams": show(
        "People",
        `<h1>People</h1><h2>Design</h2>${table(
          ["Name", "Phone"],
          [
            ["Ida Lund", "4410"],
            ["Ben Ott", "4411"],
          ],
        )}
        <h2>Support</h2>${table(
          ["Name", "Phone"],
          [
            ["Mia Roth", "4520"],
            ["Jon Park", "4521"],
            ["Eva Kish", "4522"],
          ],
        )}`,
      ),
    }),
    tasks: [
      {
        prompt: "What is the phone number of Jon Park?",
        truths: [say("Jon Park has the number 4521.", ["Jon Park 4521"]), say("4521", ["4521"])],
        lies: [
          lie("value of another item", say("Jon Park has the number 4411.", ["Ben Ott 4411"])),
          lie("value of another item", say("4522", ["4522"])),
        ],
      },
      {
        prompt: "How many people are in Support?",
        truths: [say("There are 3 people in Support.", ["Mia Roth 4520", "Jon Park 4521", "Eva Kish 4522"])],
        lies: [lie("wrong count or total", say("There are 2 people in Support.", ["Mia Roth 4520", "Jon Park 4521"]))],
      },
      {
        prompt: "List all people.",
        truths: [
          say("Ida Lund, Ben Ott, Mia Roth, Jon Park and Eva Kish.", [
            "Ida Lund 4410",
            "Ben Ott 4411",
            "Mia Roth 4520",
            "Jon Park 4521",
            "Eva Kish 4522",
          ]),
        ],
        lies: [lie("missing rows", say("Ida Lund and Ben Ott.", ["Ida Lund 4410", "Ben Ott 4411"]))],
      },
    ],
  },
  {
    name: "data from a table",
    start: "/data",
    routes: () => ({ "GET /data": show("Lamps", `<h1>Lamps</h1>${table(["Name", "Price", "Stock"], LAMPS)}`) }),
    lines: [extract],
    mapping: map(["r1"], ["v1", "c1"], ["v2", "c2"]),
    schema: listOf("lamps", { name: STRING, price: NUMBER }),
    tasks: [
      {
        prompt: "Extract the name and price of all lamps.",
        truths: [say("All 4 lamps were extracted."), say("The lamps are Alder, Birch, Cedar and Elm.")],
        lies: [
          lie("missing rows", { ...say("All lamps were extracted."), data: editRows((rows) => rows.slice(0, 3)) }),
          lie("missing rows", { ...say("All lamps were extracted."), data: editRows((rows) => rows.toSpliced(1, 1)) }),
          lie("extra rows", {
            ...say("All lamps were extracted."),
            data: editRows((rows) => [...rows, ...rows.slice(0, 1)]),
          }),
          lie("swapped rows", {
            ...say("All lamps were extracted."),
            data: editRows(([one, two, ...rest]) => [
              { ...one, price: two?.["price"] } as never,
              { ...two, price: one?.["price"] } as never,
              ...rest,
            ]),
          }),
          lie("wrong value", {
            ...say("All lamps were extracted."),
            data: editRows(([one, ...rest]) => [{ ...one, price: { ...one?.["price"], value: 46 } } as never, ...rest]),
          }),
          lie("invented quote", {
            ...say("All lamps were extracted."),
            data: editRows(([one, ...rest]) => [
              { ...one, price: { ...one?.["price"], value: 46, quote: "€46.00" } } as never,
              ...rest,
            ]),
          }),
          lie("value under another label", {
            ...say("All lamps were extracted."),
            data: editRows(([one, ...rest]) => [
              { ...one, price: { ...one?.["price"], value: 12, quote: "12" } } as never,
              ...rest,
            ]),
          }),
          lie("wrong count or total", say("Found 5 lamps.")),
        ],
      },
    ],
  },
  {
    name: "data in an order and within bounds",
    start: "/ordered",
    routes: () => ({
      "GET /ordered": show(
        "Invoices",
        `<h1>Invoices</h1>${table(
          ["Number", "Date", "Amount"],
          [
            ["I-31", "3 March 2026", "€120.00"],
            ["I-28", "11 February 2026", "€80.00"],
            ["I-25", "4 January 2026", "€310.00"],
          ],
        )}<p>Total: €510.00</p>`,
      ),
    }),
    lines: [extract],
    mapping: map(["r1"], ["v1", "c1"], ["v2", "c3"]),
    schema: listOf("invoices", { number: STRING, amount: NUMBER }),
    tasks: [
      {
        prompt: "Extract the number and amount of every invoice.",
        truths: [say("There are 3 invoices.")],
        lies: [
          lie("missing rows", { ...say("Here are the invoices."), data: editRows((rows) => rows.slice(1)) }),
          lie("swapped rows", {
            ...say("Here are the invoices."),
            data: editRows((rows) =>
              rows.map((row, index) => ({ ...row, number: rows.at(index - 1)?.["number"] }) as never),
            ),
          }),
        ],
      },
      {
        prompt: "Extract the invoices over €100, with number and amount.",
        truths: [
          {
            ...say("Two invoices are over €100."),
            data: editRows((rows) => rows.filter((row) => Number(row["amount"]?.value) > 100)),
          },
        ],
        lies: [lie("extra rows", say("Here are the invoices over €100."))],
      },
      {
        prompt: "Extract all invoices with number and amount, the lowest amount first.",
        truths: [
          {
            ...say("Sorted by amount."),
            data: editRows((rows) =>
              rows.toSorted((one, other) => Number(one["amount"]?.value) - Number(other["amount"]?.value)),
            ),
          },
        ],
        lies: [lie("swapped rows", say("Sorted by amount."))],
      },
    ],
  },
  {
    name: "several lists over several pages with a stated total",
    start: "/plants",
    routes: () => {
      const rows = (from: number, count: number) =>
        Array.from({ length: count }, (_, index) => [`Plant ${from + index}`, `Bed ${1 + ((from + index) % 7)}`]);
      const at = (number: number) =>
        show(
          "Plants",
          `<h1>Plants</h1><p>Showing ${number * 12 - 11}–${number * 12} out of 24</p><h2>Trees</h2>${table(["Name", "Place"], rows(number * 12 - 11, 6))}
          <h2>Shrubs</h2>${table(["Name", "Place"], rows(number * 12 - 5, 6))}${number === 1 ? '<nav aria-label="Pages"><a href="/plants-2">Next</a></nav>' : ""}`,
        );
      return { "GET /plants": at(1), "GET /plants-2": at(2) };
    },
    lines: [extract, open("Next"), extract],
    mapping: map(["r1", "r2"], ["v1", "c1"]),
    schema: listOf("plants", { name: STRING }),
    tasks: [
      {
        prompt: "Extract the names of all plants.",
        truths: [say("All 24 plants were extracted.")],
        lies: [
          lie("part of a list", { ...say("All plants were extracted."), data: editRows((rows) => rows.slice(0, 12)) }),
          lie("part of a list", { ...say("All plants were extracted."), data: editRows((rows) => rows.slice(0, 6)) }),
          lie("missing rows", {
            ...say("All plants were extracted."),
            data: editRows((rows) => [...rows.slice(0, 6), ...rows.slice(12, 18)]),
          }),
          lie("missing rows", { ...say("All plants were extracted."), data: editRows((rows) => rows.slice(0, 18)) }),
        ],
      },
    ],
  },
  {
    name: "an order with its items and total",
    start: "/receipt",
    routes: () => ({
      "GET /receipt": show(
        "Receipt",
        `<h1>Receipt R-77</h1>${table(
          ["Item", "Quantity", "Price"],
          [
            ["Kettle", "1", "€64.90"],
            ["Mug", "4", "€27.60"],
            ["Total", "5", "€92.50"],
          ],
        )}<p>Paid by card on 9 January 2026.</p>`,
      ),
    }),
    tasks: [
      {
        prompt: "What was the total of receipt R-77?",
        truths: [say("The total was €92.50.", ["Total 5 €92.50"]), say("€92.50", ["€92.50"])],
        lies: [
          lie("value under another label", say("The total was €64.90.", ["€64.90"])),
          lie("wrong count or total", say("The total was €82.50.", ["Kettle 1 €64.90", "Mug 4 €27.60"])),
        ],
      },
      {
        prompt: "How many mugs were bought?",
        truths: [say("4 mugs were bought.", ["Mug 4 €27.60"])],
        lies: [
          lie("value of another item", say("1 mug was bought.", ["Kettle 1 €64.90"])),
          lie("value of another item", say("5 mugs were bought.", ["Total 5 €92.50"])),
        ],
      },
      {
        prompt: "How was it paid?",
        truths: [say("It was paid by card on 9 January 2026.", ["Paid by card on 9 January 2026."])],
        lies: [
          subtleLie("wrong value", say("It was paid in cash on 9 January 2026.", ["Paid by card on 9 January 2026."])),
        ],
      },
    ],
  },
  {
    name: "an empty search result",
    start: "/shop-search",
    routes: () => ({
      "GET /shop-search": ({ query }) => {
        const found = query.get("q") === "kite" ? "<p>No results for kite.</p>" : "";
        return show(
          "Search",
          `<h1>Search</h1><form><label>Search <input type="search" name="q"></label><button>Search</button></form>${found}`,
        )({} as never);
      },
    }),
    lines: [(turn) => turn.fill('searchbox "Search"', "kite"), (turn) => turn.click('button "Search"')],
    tasks: [
      {
        prompt: "Does the shop sell kites? Search for kite.",
        truths: [say("No, there are no results for kite.", ["No results for kite."])],
        lies: [
          lie("negated prose", say("Yes, the shop sells kites.", ["No results for kite."])),
          lie("typed by the run", say("Yes, the shop sells a kite.", ["kite"])),
        ],
      },
    ],
  },
  {
    name: "search results",
    start: "/find",
    routes: () => ({
      "GET /find": ({ query }) =>
        show(
          "Find",
          `<h1>Find</h1><form><label>Words <input type="search" name="q" value="${query.get("q") ?? ""}"></label><button>Find</button></form>${
            query.has("q")
              ? `<p>2 results</p><ul><li><a href="/f/1">Copper kettle</a> €49.00</li><li><a href="/f/2">Steel kettle</a> €35.00</li></ul>`
              : ""
          }`,
        )({} as never),
    }),
    lines: [(turn) => turn.fill('searchbox "Words"', "kettle"), (turn) => turn.click('button "Find"')],
    tasks: [
      {
        prompt: "Search for kettle and tell me the prices.",
        truths: [
          say("The Copper kettle costs €49.00 and the Steel kettle costs €35.00.", [
            "Copper kettle €49.00",
            "Steel kettle €35.00",
          ]),
        ],
        lies: [
          lie(
            "swapped rows",
            say("The Copper kettle costs €35.00 and the Steel kettle costs €49.00.", [
              "Copper kettle €49.00",
              "Steel kettle €35.00",
            ]),
          ),
        ],
      },
      {
        prompt: "How many results does a search for kettle have?",
        truths: [say("It has 2 results.", ["2 results"])],
        lies: [lie("wrong count or total", say("It has 1 result.", ["Copper kettle €49.00"]))],
      },
    ],
  },
  {
    name: "an inbox",
    start: "/inbox",
    routes: () => ({
      "GET /inbox": show(
        "Inbox",
        `<h1>Inbox</h1>${table(
          ["From", "Subject", "Received"],
          [
            ["Tom Reed", "Invoice for March", "2 April 2026"],
            ["Nora Bell", "Lunch on Friday", "1 April 2026"],
            ["Tom Reed", "Meeting notes", "28 March 2026"],
          ],
        )}<p>Unread: 1</p>`,
      ),
    }),
    tasks: [
      {
        prompt: "What is the subject of the newest message from Tom Reed?",
        truths: [
          say('The subject is "Invoice for March".', ["Tom Reed Invoice for March 2 April 2026"]),
          say("Invoice for March", ["Invoice for March"]),
        ],
        lies: [
          lie("value of another item", say('The subject is "Lunch on Friday".', ["Lunch on Friday"])),
          lie(
            "value of another item",
            say('The subject is "Meeting notes".', ["Tom Reed Meeting notes 28 March 2026"]),
          ),
        ],
      },
      {
        prompt: "When did the message from Nora Bell arrive?",
        truths: [say("It arrived on 1 April 2026.", ["Nora Bell Lunch on Friday 1 April 2026"])],
        lies: [lie("value of another item", say("It arrived on 2 April 2026.", ["2 April 2026"]))],
      },
      {
        prompt: "How many unread messages do I have?",
        truths: [say("You have 1 unread message.", ["Unread: 1"])],
        lies: [
          lie("none without proof", say("You have no unread messages.", ["Inbox"])),
          lie(
            "wrong count or total",
            say("You have 3 unread messages.", [
              "Tom Reed Invoice for March",
              "Nora Bell Lunch on Friday",
              "Tom Reed Meeting notes",
            ]),
          ),
        ],
      },
    ],
  },
  {
    name: "a calendar",
    start: "/calendar",
    routes: () => ({
      "GET /calendar": show(
        "Calendar",
        `<h1>Calendar, week of 6 April 2026</h1><ul><li>Monday 09:00 Planning, room 2</li><li>Tuesday 14:30 Dentist</li><li>Thursday 11:00 Call with Priya Shah</li></ul>`,
      ),
    }),
    tasks: [
      {
        prompt: "When is the dentist appointment?",
        truths: [
          say("On Tuesday at 14:30.", ["Tuesday 14:30 Dentist"]),
          say("Tuesday, 2:30 pm", ["Tuesday 14:30 Dentist"]),
        ],
        lies: [
          lie("wrong value", say("On Thursday at 14:30.", ["Tuesday 14:30 Dentist"])),
          lie("value of another item", say("On Monday at 09:00.", ["Monday 09:00 Planning, room 2"])),
        ],
      },
      {
        prompt: "Who is the call on Thursday with?",
        truths: [say("It is with Priya Shah.", ["Thursday 11:00 Call with Priya Shah"])],
        lies: [lie("wrong value", say("It is with Omar Nasser.", ["Thursday 11:00 Call with Priya Shah"]))],
      },
      {
        prompt: "Do I have anything on Wednesday?",
        truths: [
          say("No, there is nothing on Wednesday.", [
            "Monday 09:00 Planning, room 2",
            "Tuesday 14:30 Dentist",
            "Thursday 11:00 Call with Priya Shah",
          ]),
        ],
        lies: [],
      },
    ],
  },
];
