import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BrowserState } from "../../../src/browser/state/browser-state.ts";
import { html } from "../../../src/lib/html.ts";
import { startTestAgent, type TestAgent } from "../../_harness/agent.ts";
import { type LoopbackServer, startLoopbackServer } from "../../_harness/browser.ts";
import { call, done, type Line, play, type ShownTurn } from "../../_harness/model-script.ts";
import { type ModelServer, startModelServer } from "../../_harness/model-server.ts";
import { withRecipe } from "../../_harness/recipe-stage.ts";
import { layOut } from "../../sites/page.ts";

/** What the site shows to one user only. All of it is different for the other, and so is its order. */
interface User {
  readonly name: string;
  readonly membership: string;
  readonly balance: string;
  readonly phone: string;
  readonly group: string;
  readonly orders: readonly { readonly number: string; readonly product: string; readonly status: string }[];
  readonly addresses: readonly { readonly label: string; readonly street: string; readonly town: string }[];
}

const ONE: User = {
  name: "Odile Quenby",
  membership: "M-48151",
  balance: "€162.34",
  phone: "0664 1093",
  group: "Heron Circle",
  orders: [
    { number: "T-70401", product: "Brindle Kettle", status: "Delivered" },
    { number: "T-70402", product: "Corvin Skillet", status: "Being packed" },
  ],
  addresses: [
    { label: "Home", street: "9 Quillon Court", town: "Larkspur" },
    { label: "Office", street: "77 Vesper Row", town: "Tamarind" },
  ],
};
const OTHER: User = {
  name: "Ximena Strand",
  membership: "M-62347",
  balance: "€8.90",
  phone: "0676 5522",
  group: "Otter Bay",
  orders: [
    { number: "T-80907", product: "Ossery Mug", status: "Cancelled" },
    { number: "T-80911", product: "Corvin Skillet", status: "On its way" },
    { number: "T-80915", product: "Brindle Kettle", status: "Received" },
  ],
  addresses: [
    { label: "Office", street: "4 Gannet Wharf", town: "Pelham" },
    { label: "Home", street: "31 Yarrow Hill", town: "Sable" },
  ],
};
const USERS = { one: ONE, other: OTHER };

/** Everything that must not be in a recipe that was learned on this user's pages. */
function canariesOf({ name, membership, balance, phone, group, orders, addresses }: User): string[] {
  return [
    ...[name, membership, balance, phone, group].flatMap((text) => [text, ...text.split(" ")]),
    ...orders.flatMap(({ number, status }) => [number, status]),
    ...addresses.flatMap(({ street, town }) => [street, town, ...street.split(" ").slice(1)]),
  ].filter((text) => text.length > 2);
}

function page(title: string, { name, group }: User, body: ReturnType<typeof html>): string {
  return layOut(
    title,
    html`<header><nav aria-label="You"><a href="/account">Your account, ${name}</a> <a href="/orders">Orders</a>
      <a href="/addresses">Addresses</a> <a href="/phone">Telephone</a></nav></header>
    <section aria-label="${group}">${body}</section>`,
  ).text;
}

const PAGES: Readonly<Record<string, (user: User) => string>> = {
  "/": (user) => page("Start", user, html`<h1>Welcome back, ${user.name}</h1>`),
  "/account": (user) =>
    page(
      "Account",
      user,
      html`<h1>Hello, ${user.name}</h1><dl><dt>Membership number</dt><dd>${user.membership}</dd>
        <dt>Balance</dt><dd>${user.balance}</dd></dl>
        <p>${user.name}, you may spend ${user.balance}.</p>`,
    ),
  "/orders": (user) =>
    page(
      "Orders",
      user,
      html`<h1>Your orders</h1><table><tr><th>Product</th><th>Number</th><th>Status</th></tr>${user.orders.map(
        ({ number, product, status }) =>
          html`<tr><td>${product}</td><td><a href="/orders/${number}">${number}</a></td><td>${status}</td></tr>`,
      )}</table>`,
    ),
  "/addresses": (user) =>
    page(
      "Addresses",
      user,
      html`<h1>Your addresses</h1><table><tr><th>Name</th><th>Street</th><th>Town</th></tr>${user.addresses.map(
        ({ label, street, town }) => html`<tr><td>${label}</td><td>${street}</td><td>${town}</td></tr>`,
      )}</table>`,
    ),
  "/phone": (user) =>
    page(
      "Telephone",
      user,
      html`<h1>Telephone</h1><form method="post" action="/phone"><label>Telephone number <input name="phone" value="${user.phone}"></label>
        <button>Save</button></form>`,
    ),
};

/** The site: each user by a cookie. */
function startSite(saved: Map<string, string>): Promise<LoopbackServer> {
  return startLoopbackServer((request, response) => {
    const who = /who=(\w+)/.exec(request.headers.cookie ?? "")?.[1] === "other" ? "other" : "one";
    const user = { ...USERS[who], phone: saved.get(who) ?? USERS[who].phone };
    const path = new URL(request.url ?? "/", "http://site").pathname;
    const send = (status: number, body: string) => {
      response.writeHead(status, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" });
      response.end(body);
    };
    if (request.method === "POST") {
      let body = "";
      request.on("data", (chunk) => {
        body += String(chunk);
      });
      request.on("end", () => {
        saved.set(who, new URLSearchParams(body).get("phone") ?? "");
        response.writeHead(303, { location: `/saved/${user.membership}` }).end();
      });
      return;
    }
    if (path.startsWith("/saved/"))
      return send(200, page("Saved", user, html`<h1>Thank you, ${user.name}</h1><p>We call ${user.phone}.</p>`));
    const show = PAGES[path];
    return show === undefined ? send(404, "<h1>Not found</h1>") : send(200, show(user));
  });
}

function stating(about: string, find: (turn: ShownTurn) => string): Line {
  return (turn) => {
    const value = find(turn);
    return done(`It is ${value}.`, { facts: [{ about, value, quote: value }] });
  };
}

/** The errand of the first user, the model's lines, and what the other user must be told. */
interface Case {
  readonly prompt: string;
  readonly lines: readonly Line[];
  /** Of the other user. Default: the same prompt. */
  readonly again?: string;
  readonly answer: string;
}

const account: Line = (turn) => turn.click('link "Your account');
const CASES: readonly Case[] = [
  {
    prompt: "Tell me my membership number.",
    lines: [account, stating("membership number", () => ONE.membership)],
    answer: OTHER.membership,
  },
  {
    prompt: "What is my balance?",
    lines: [account, stating("balance", () => ONE.balance)],
    answer: OTHER.balance,
  },
  {
    prompt: "How am I greeted on the account page?",
    lines: [account, stating("greeting", () => `Hello, ${ONE.name}`)],
    answer: `Hello, ${OTHER.name}`,
  },
  {
    prompt: "What is the status of my order of the Corvin Skillet?",
    lines: [(turn) => turn.click('link "Orders"'), stating("status", () => "Being packed")],
    answer: "On its way",
  },
  {
    prompt: "What is the number of my order of the Brindle Kettle?",
    lines: [(turn) => turn.click('link "Orders"'), stating("number", () => "T-70401")],
    answer: "T-80915",
  },
  {
    prompt: "Which street is my Office in?",
    lines: [(turn) => turn.click('link "Addresses"'), stating("street", () => "77 Vesper Row")],
    answer: "4 Gannet Wharf",
  },
];

describe("a recipe that is learned on one user's pages", () => {
  const parts = new AsyncDisposableStack();
  const saved = new Map<string, string>();
  let agent: TestAgent;
  let server: ModelServer;
  let site: LoopbackServer;

  beforeAll(async () => {
    agent = parts.use(await startTestAgent());
    server = parts.use(await startModelServer());
    site = parts.use(await startSite(saved));
  });
  afterAll(() => parts.disposeAsync());

  function signedIn(who: keyof typeof USERS): BrowserState {
    const { hostname: domain } = new URL(site.url);
    const cookie = { name: "who", value: who, domain, path: "/", expires: -1, httpOnly: true, secure: false };
    return { storage: { cookies: [{ ...cookie, sameSite: "Lax" }], origins: [] }, sessionStorage: [] };
  }

  async function learn(prompt: string, lines: readonly Line[]) {
    const planner = await play(server, ...lines);
    const { outcome } = await agent.run({ prompt, startUrl: site.url, state: signedIn("one"), planner });
    expect(outcome, outcome.reason).toMatchObject({ kind: "verified" });
    const { lesson } = outcome;
    const text = JSON.stringify(lesson);
    // Neither what is kept nor the reason why nothing is may say anything about the user.
    expect(canariesOf(ONE).filter((canary) => lesson?.kind === "learned" && text.includes(canary))).toEqual([]);
    if (lesson?.kind !== "learned") throw new Error(`not learned: ${lesson?.reason}`);
    return lesson.body;
  }

  it.each(CASES)("gives another user their own data: $prompt", async ({ prompt, lines, answer }) => {
    const body = await learn(prompt, lines);
    const { outcome } = await agent.run({
      ...withRecipe(body, prompt),
      startUrl: site.url,
      state: signedIn("other"),
    });
    expect(outcome, outcome.reason).toMatchObject({ kind: "verified", recipe: { kind: "replayed" } });
    if (outcome.kind !== "verified") return;
    expect(outcome.result.final_text).toContain(answer);
    expect(canariesOf(ONE).filter((canary) => outcome.result.final_text.includes(canary))).toEqual([]);
  });

  it("changes another user's data, and only theirs", async () => {
    const prompt = "Set my telephone number to 0699 4711.";
    const body = await learn(prompt, [
      (turn) => turn.click('link "Telephone"'),
      (turn) => [
        turn.fill('textbox "Telephone number"', "0699 4711"),
        {
          name: "click",
          input: {
            ...(turn.click('button "Save"') as { input: object }).input,
            commit: "Set the telephone number to 0699 4711.",
          },
        },
      ],
      () => done("It is set.", { proofs: [{ text: `Thank you, ${ONE.name}` }, { text: "We call 0699 4711." }] }),
    ]);
    expect(saved.get("one")).toBe("0699 4711");
    const { outcome } = await agent.run({
      ...withRecipe(body, "Set my telephone number to 0650 8888."),
      startUrl: site.url,
      state: signedIn("other"),
    });
    expect(outcome, outcome.reason).toMatchObject({ kind: "verified", recipe: { kind: "replayed" } });
    expect(Object.fromEntries(saved)).toEqual({ one: "0699 4711", other: "0650 8888" });
  });

  it("is not learned where only the user's own data says what was done", async () => {
    const planner = await play(
      server,
      (turn) => turn.click('link "Orders"'),
      (turn) => call("click", { ref: turn.ref(`link "${ONE.orders[0]?.number}"`), label: ONE.orders[0]?.number ?? "" }),
      (turn) =>
        done("It is there.", {
          facts: [{ about: "page", value: "Not found", quote: turn.page.includes("Not found") ? "Not found" : "" }],
        }),
    );
    const { outcome } = await agent.run({
      prompt: "Open my order of the kettle and tell me what the page says.",
      startUrl: site.url,
      state: signedIn("one"),
      planner,
    });
    expect(outcome.lesson?.kind ?? "none").not.toBe("learned");
  });
});
