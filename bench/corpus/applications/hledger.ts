import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Application, answer, changed, impossible, type Prompt, type Stage } from "../application.ts";
import type { Fault } from "../front.ts";
import { DEBIAN_ROOT, debianEnv } from "../packages.ts";

/** The accounts of a sailing club, in a plain-text journal. */
export const hledger: Application = {
  name: "hledger",
  kind: "accounting",
  // It compares the time of the file with the time at which it has read it.
  restarts: true,
  seed: (stage) => writeFile(journal(stage), JOURNAL),
  command: (stage) => ({
    file: join(DEBIAN_ROOT, "usr/bin/hledger-web"),
    args: [
      ...["-f", journal(stage), "--serve", "--host", "127.0.0.1", "--port", String(stage.port), "--base-url", ""],
      "--capabilities=view,add,manage",
    ],
    env: { ...debianEnv(), LANG: "C.UTF-8" },
  }),
  /** By transaction: date and description, then its lines. */
  async snapshot(stage) {
    const text = await readFile(journal(stage), "utf8");
    const blocks = text.split(/\n\s*\n/).filter((block) => block.trim() !== "");
    return Object.fromEntries(
      blocks.map((block) => {
        const [head = "", ...lines] = block.trim().split("\n");
        return [head.trim(), lines.map((line) => line.trim().replace(/\s{2,}/g, "  "))];
      }),
    );
  },
  get prompts() {
    return PROMPTS;
  },
};

const JOURNAL = `2026-01-05 Chandler Lund
    expenses:rope                 84.50 EUR
    assets:bank

2026-01-12 Berth fees January
    assets:bank                  310.00 EUR
    income:berths

2026-01-20 Tar and paint
    expenses:repairs              47.20 EUR
    assets:cash

2026-02-02 Membership Holm
    assets:bank                   60.00 EUR
    income:members

2026-02-03 Membership Aydin
    assets:bank                   60.00 EUR
    income:members

2026-02-11 Crane inspection
    expenses:repairs             215.00 EUR
    assets:bank

2026-02-28 Berth fees February
    assets:bank                  295.00 EUR
    income:berths
`;

function journal({ folder }: Stage): string {
  return join(folder, "club.journal");
}

function added(head: string, ...lines: string[]) {
  return changed(head, lines);
}

const ADD: Pick<Fault, "method" | "path"> = { method: "POST", path: /^\/add/ };
const ENTRY_SCHEMA = {
  type: "object",
  properties: {
    entries: {
      type: "array",
      items: {
        type: "object",
        properties: { date: { type: "string" }, description: { type: "string" } },
        required: ["date", "description"],
      },
    },
  },
  required: ["entries"],
};

const PROMPTS: readonly Prompt[] = [
  {
    id: "bank-balance",
    start: "/journal",
    prompt: "What is the balance of bank?",
    expect: answer("425.50 EUR", "425.50"),
  },
  {
    id: "repairs",
    start: "/journal",
    prompt: "Click repairs. What is the Period Total for Crane inspection?",
    expect: answer("262.20 EUR", "262.20"),
  },
  {
    id: "inspection-date",
    start: "/register?q=inacct:expenses:repairs",
    prompt: "What is the Date for Crane inspection?",
    expect: answer("2026-02-11"),
  },
  {
    id: "search-members",
    start: "/journal",
    prompt: "Type desc:Membership into the search field and press Enter. How many transactions are there?",
    expect: answer("2"),
  },
  {
    id: "bank-february",
    start: "/register?q=inacct:assets:bank",
    prompt: "List the date and description of all entries with a date after 2026-02-01.",
    schema: ENTRY_SCHEMA,
    expect: {
      kind: "extracted",
      value: {
        entries: [
          { date: "2026-02-28", description: "Berth fees February" },
          { date: "2026-02-11", description: "Crane inspection" },
          { date: "2026-02-03", description: "Membership Aydin" },
          { date: "2026-02-02", description: "Membership Holm" },
        ],
      },
    },
  },
  {
    id: "bank-members",
    start: "/register?q=inacct:assets:bank",
    prompt: "List the descriptions of the rows where the To/From Account(s) is in:members.",
    expect: {
      kind: "mentions",
      all: ["Membership Holm", "Membership Aydin"],
      none: ["Berth fees", "Crane inspection", "Chandler"],
    },
  },
  {
    id: "add-transaction",
    start: "/journal",
    prompt:
      'Click "Add a transaction". Fill in Date with 2026-03-04, Description with Fuel dock, Account 1 with expenses:fuel, Amount 1 with 32.10 EUR and Account 2 with assets:cash. Click add.',
    expect: added("2026-03-04 Fuel dock", "expenses:fuel  32.10 EUR", "assets:cash  -32.10 EUR"),
  },
  {
    id: "add-membership",
    start: "/journal",
    prompt:
      'Open /add. Type 2026-03-01 into Date, type "Membership Moreau" into Description, type assets:bank into "Account 1", type 60.00 EUR into "Amount 1", type income:members into "Account 2" and click add.',
    expect: added("2026-03-01 Membership Moreau", "assets:bank  60.00 EUR", "income:members  -60.00 EUR"),
  },
  {
    id: "correct-price",
    start: "/manage",
    prompt: "Click Edit, replace 215.00 by 225.00 in the text, and click Save.",
    expect: changed("2026-02-11 Crane inspection", ["expenses:repairs  225.00 EUR", "assets:bank"]),
  },
  {
    id: "correct-name",
    start: "/manage",
    prompt: 'Click Edit. In the text area, replace "Membership Aydin" with "Membership Aydın". Save.',
    expect: {
      kind: "change",
      change: ({ "2026-02-03 Membership Aydin": lines, ...rest }) => ({
        ...rest,
        "2026-02-03 Membership Aydın": lines,
      }),
    },
  },
  {
    id: "append-transaction",
    start: "/manage",
    prompt: `Click Edit, append "

2026-03-09 Harbour fee
    expenses:fees  12.00 EUR
    assets:cash" to the text area, and click Save.`,
    expect: added("2026-03-09 Harbour fee", "expenses:fees  12.00 EUR", "assets:cash"),
  },
  {
    id: "upload",
    start: "/manage",
    prompt: `Click Upload. Upload a file named april.journal with the text "2026-04-01 Opening balance
    assets:bank  500.00 EUR
    equity:opening" to Select file, and click the Upload button.`,
    expect: {
      kind: "change",
      change: () => ({ "2026-04-01 Opening balance": ["assets:bank  500.00 EUR", "equity:opening"] }),
    },
  },
  // Impossible on purpose.
  {
    id: "no-account",
    start: "/journal",
    prompt: "What is the balance of paypal?",
    expect: impossible("unknown answer"),
  },
  {
    id: "which-membership",
    start: "/register?q=inacct:income:members",
    prompt: "What is the date of Membership?",
    expect: impossible("ambiguous"),
  },
  {
    id: "unbalanced",
    start: "/journal",
    prompt:
      'Click "Add a transaction". Fill in Date with 2026-03-04, Description with Anchor, Account 1 with expenses:gear, Amount 1 with 90 EUR, Account 2 with assets:bank and Amount 2 with -80 EUR. Click add.',
    expect: impossible("refused write"),
  },
  {
    id: "add-server-error",
    start: "/journal",
    prompt:
      'Click "Add a transaction". Fill in Date with 2026-03-06, Description with Rope, Account 1 with expenses:rope, Amount 1 with 12 EUR and Account 2 with assets:cash. Click add.',
    faults: [{ ...ADD, does: "respond", status: 500, body: "<h1>Internal Server Error</h1>" }],
    expect: impossible("server error"),
  },
  {
    id: "add-lost",
    start: "/journal",
    prompt:
      'Click "Add a transaction". Fill in Date with 2026-03-06, Description with Rope, Account 1 with expenses:rope, Amount 1 with 12 EUR and Account 2 with assets:cash. Click add.',
    faults: [{ ...ADD, does: "respond", status: 303, body: "", headers: { location: "/journal" } }],
    expect: impossible("lost write"),
  },
  {
    id: "edit-hangs-up",
    start: "/manage",
    prompt: "Click Edit, replace 84.50 by 48.50 in the text, and click Save.",
    faults: [{ method: "POST", path: /^\/edit/, does: "hang up", after: "nothing" }],
    expect: impossible("lost write"),
  },
  {
    id: "replace-absent",
    start: "/manage",
    prompt: "Click Edit, replace 999.99 by 1.00 in the text, and click Save.",
    expect: impossible("missing"),
  },
];
