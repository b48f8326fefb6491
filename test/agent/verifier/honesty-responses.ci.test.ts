import { beforeAll, describe, expect, test } from "vitest";
import { Html, html } from "../../../src/lib/html.ts";
import { startTestAgent, type TestAgent } from "../../_harness/agent.ts";
import { agreeingWithEverything, type ScriptedJudge, startScriptedJudge } from "../../_harness/scripted-judge.ts";
import { type Story, tellStory } from "../../_harness/storyteller.ts";
import { casesOfTier } from "../../_harness/tier.ts";
import { layOut } from "../../sites/page.ts";
import { RequestLog } from "../../sites/request-log.ts";
import { serveSite } from "../../sites/serve-site.ts";
import { type Answer, HANG, type Route, type Site, sendJson, showPage } from "../../sites/site.ts";

// Pages that show success whatever the site responds: only the response itself says what became of the change.

/** What the site responds to a change, by the name of the page. */
const RESPONSES: Record<string, Answer> = {
  accepted: sendJson({ ok: true, errors: [] }),
  "not-ok": sendJson({ ok: false }),
  unsuccessful: sendJson({ success: false, message: "The list is full." }),
  "with-errors": sendJson({ errors: [{ detail: "The list is full." }] }),
  graphql: sendJson({ data: { subscribe: null }, errors: [{ message: "The list is full." }] }),
  failing: sendJson({ message: "No." }, 500),
  silent: HANG,
};

const JSON_TYPE = `headers: { "content-type": "application/json" }`;
const SEND = `fetch(location.pathname, { method: "POST", ${JSON_TYPE}, body: JSON.stringify({ query: "mutation Subscribe { subscribe }", email: email.value }) })`;

/** How a page shows success. */
const PAGES: Record<string, string> = {
  /** After the response. */
  waiting: `await ${SEND}; outcome.textContent = "Thank you"`,
  /** On another page, after the response. */
  leading: `await ${SEND}; location = "/thanks"`,
  /** At once. */
  optimistic: `outcome.textContent = "Thank you"; ${SEND}`,
  /** On another page, at once. */
  hasty: `${SEND}; setTimeout(() => { location = "/thanks" }, 100)`,
};

function showForm(script: string): Answer {
  return showPage(
    layOut(
      "Newsletter",
      html`<h1>Newsletter</h1><label>Email <input id="email"></label><button id="send">Subscribe</button>
      <p id="outcome" role="status"></p>${new Html(`<script>send.onclick = async () => { ${script} }</script>`)}`,
    ),
  );
}

/** A board that moves its card at once, and back when it is loaded again. */
const BOARD = html`<h1>Board</h1><h2>To do</h2><ul id="todo"><li>Water the ferns</li></ul><h2>Done</h2><ul id="done"></ul>
  <button id="move">Move to done</button>${new Html(`<script>move.onclick = () => {
    done.append(todo.firstElementChild);
    fetch(location.pathname, { method: "POST", ${JSON_TYPE}, body: '{"card":1}' }).catch(() => {});
  }</script>`)}`;

const routes: Record<string, Route> = {
  "GET /thanks": () => showPage(layOut("Thanks", html`<h1>Thank you</h1>`)),
  "GET /home": () => showPage(layOut("Home", html`<h1>Home</h1>`)),
};
for (const [name, response] of Object.entries(RESPONSES)) {
  for (const [kind, script] of Object.entries(PAGES)) {
    routes[`GET /${kind}/${name}`] = () => showForm(script);
    routes[`POST /${kind}/${name}`] = () => response;
  }
  routes[`GET /board/${name}`] = () => showPage(layOut("Board", BOARD));
  routes[`POST /board/${name}`] = () => response;
}

let agent: TestAgent;
let judge: ScriptedJudge;
let url: string;

beforeAll(async () => {
  const stack = new AsyncDisposableStack();
  // A response that never comes is not waited for as long as usual.
  agent = stack.use(await startTestAgent({ limits: { settleMs: 1_000, busySettleMs: 1_500 } }));
  judge = stack.use(await startScriptedJudge());
  const site: Site<null> = { routes, state: null };
  url = stack.use(await serveSite(site, { name: "responses", host: "127.0.0.1", log: new RequestLog() })).url;
  return () => stack.disposeAsync();
});

async function run(prompt: string, path: string, story: Story, isJudged: boolean) {
  Object.assign(judge, { script: agreeingWithEverything, verdicts: 0 });
  const ran = await agent.run({
    prompt,
    startUrl: url + path,
    planner: tellStory(story),
    ...(isJudged ? { judge: judge.judge } : {}),
  });
  const against = ran.verdict?.checks.filter(({ verdict }) => verdict !== "satisfied") ?? [];
  return { ...ran, against: against.map(({ evidence }) => evidence).join("\n") };
}

const subscribe = (path: string, shown = path, after: Story["deeds"] = []): [string, string, Story] => [
  "Subscribe jo@example.com to the newsletter.",
  path,
  {
    deeds: [{ fill: "Email", text: "jo@example.com" }, { click: "Subscribe" }, ...after],
    texts: [{ path: shown, text: "Thank you" }],
  },
];

const move = (path: string, after: Story["deeds"] = []): [string, string, Story] => [
  "Move the card Water the ferns to done.",
  path,
  { deeds: [{ click: "Move to done" }, ...after], texts: [{ path, text: "Water the ferns" }] },
];

const WRONG: [what: string, caughtBy: RegExp, ...ReturnType<typeof subscribe>][] = [
  ["the response says ok: false", /returned 200, but its response says "ok": false/, ...subscribe("/waiting/not-ok")],
  ["the response says success: false", /says "success": false/, ...subscribe("/waiting/unsuccessful")],
  ["the response has errors", /says "errors"/, ...subscribe("/waiting/with-errors")],
  ["GraphQL has errors and no data", /says "errors"/, ...subscribe("/waiting/graphql")],
  ["it was refused, and the page led on to its thanks", /says "ok": false/, ...subscribe("/leading/not-ok", "/thanks")],
  ["the page said thanks at once, and was refused", /says "success": false/, ...subscribe("/optimistic/unsuccessful")],
  ["the page said thanks at once, and the site failed", /returned 500/, ...subscribe("/optimistic/failing")],
  ["the page said thanks at once, without a response", /got no response/, ...subscribe("/optimistic/silent")],
  [
    "the same, and the run went on to another page",
    /got no response/,
    ...subscribe("/optimistic/silent", "/optimistic/silent", [{ goto: "/home" }]),
  ],
  ["the same, and the page itself led on to its thanks", /got no response/, ...subscribe("/hasty/silent", "/thanks")],
  ["a card was moved on the page, and the site failed", /returned 500/, ...move("/board/failing")],
  ["a card was moved on the page, and the site refused it", /says "ok": false/, ...move("/board/not-ok")],
  [
    "a card was moved on the page without a response, and the page was left",
    /got no response/,
    ...move("/board/silent", [{ goto: "/home" }]),
  ],
];

const MODES: [string, boolean][] = [
  ["without a model", false],
  ["with a judge that believes everything", true],
];

describe.each(MODES)("%s, a change is refused when", (_, isJudged) => {
  test.each(casesOfTier(WRONG, { ci: 5 }))("%s", async (_what, caughtBy, prompt, path, story) => {
    const { outcome, against } = await run(prompt, path, story, isJudged);
    expect(outcome).toMatchObject({ kind: "failed", failure: "unverified" });
    expect(against).toMatch(caughtBy);
    expect(JSON.stringify(outcome)).not.toContain("The list is full");
  });
});

const RIGHT: [what: string, ...ReturnType<typeof subscribe>][] = [
  ["a page that waited for the response", ...subscribe("/waiting/accepted")],
  ["a page that led on to its thanks", ...subscribe("/leading/accepted", "/thanks")],
  ["a page that said thanks before the response came", ...subscribe("/optimistic/accepted")],
  ["a page that led on before the response came", ...subscribe("/hasty/accepted", "/thanks")],
];

describe.each(MODES)("%s, a change is verified on", (_, isJudged) => {
  test.each(casesOfTier(RIGHT, { ci: 3 }))("%s", async (_what, prompt, path, story) => {
    const { outcome, against } = await run(prompt, path, story, isJudged);
    expect(against).toBe("");
    expect(outcome.kind).toBe("verified");
  });
});
