import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Condition } from "../../../src/agent/grounding/claim.ts";
import type { Planner } from "../../../src/agent/planner/planner.ts";
import { startTestAgent, type TestAgent } from "../../_harness/agent.ts";
import { agreeingWithEverything, type ScriptedJudge, startScriptedJudge } from "../../_harness/scripted-judge.ts";
import { type Story, tellStory } from "../../_harness/storyteller.ts";
import { casesOfTier } from "../../_harness/tier.ts";
import { type CandidState, createCandidSite } from "../../sites/candid.ts";
import { RequestLog } from "../../sites/request-log.ts";
import { serveSite } from "../../sites/serve-site.ts";

// The same rules hold without a judge, where only the plan's own conditions are checked, and with one that believes everything.

let agent: TestAgent;
let judge: ScriptedJudge;
let site: { url: string; state: CandidState; reset: () => void };

beforeAll(async () => {
  const stack = new AsyncDisposableStack();
  agent = stack.use(await startTestAgent());
  judge = stack.use(await startScriptedJudge());
  const { site: routes, reset } = createCandidSite();
  const { url, state } = stack.use(
    await serveSite(routes, { name: "candid", host: "127.0.0.1", log: new RequestLog() }),
  );
  site = { url, state, reset };
  return () => stack.disposeAsync();
});
beforeEach(() => site.reset());

interface Case extends Story {
  prompt: string;
  path: string;
  /** Fields that the claim calls saved, on the page it started from unless it says otherwise. */
  saved?: readonly { label: string; value: string; path?: string }[];
}

async function run({ prompt, path, saved = [], ...story }: Case, isJudged: boolean) {
  Object.assign(judge, { script: agreeingWithEverything, verdicts: 0 });
  const conditions = saved.map(
    ({ label, value, path: page = path }): Condition => ({
      kind: "field",
      url: site.url + page,
      label,
      value,
      isSaved: true,
      about: `"${label}" is saved as "${value}"`,
    }),
  );
  const ran = await agent.run({
    prompt,
    startUrl: site.url + path,
    planner: claiming(tellStory(story), conditions),
    ...(isJudged ? { judge: judge.judge } : {}),
  });
  const against = ran.verdict?.checks.filter(({ verdict }) => verdict !== "satisfied") ?? [];
  return { ...ran, against: against.map(({ about, evidence }) => `${about}: ${evidence}`).join("\n") };
}

/** The same planner, whose claim has more conditions. */
function claiming(planner: Planner, conditions: readonly Condition[]): Planner {
  return {
    ...planner,
    async plan(task, context) {
      const plan = await planner.plan(task, context);
      return {
        ...plan,
        async next(turn) {
          const decision = await plan.next(turn);
          if (decision.kind !== "done") return decision;
          const { claim } = decision;
          return { ...decision, claim: { ...claim, conditions: [...claim.conditions, ...conditions] } };
        },
      };
    },
  };
}

const TEXT = "Fresh bread every morning";
const REPLACE = `Replace the text by "${TEXT}" and save it.`;

const WRONG: (Case & { what: string; caughtBy: RegExp; onlyJudged?: boolean })[] = [
  {
    what: "a text was typed into the search box and Save was clicked",
    prompt: REPLACE,
    path: "/editor",
    deeds: [{ fill: "Search", text: TEXT }, { click: "Save" }],
    texts: [{ path: "/shown", text: "Saved" }],
    caughtBy: /"Fresh bread every morning" was entered into "Search"\. No request that the site accepted carries it/,
  },
  {
    what: "the same, and the claim calls the search box saved",
    prompt: REPLACE,
    path: "/editor",
    deeds: [{ fill: "Search", text: TEXT }, { click: "Save" }],
    saved: [{ label: "Search", value: TEXT }],
    caughtBy: /What was entered into "Search" is in no request that the site accepted/,
  },
  {
    what: "a field of another form was filled in",
    prompt: `Set the nickname to "Otterly" and save it.`,
    path: "/two-forms",
    deeds: [{ fill: "Nickname", text: "Otterly" }, { click: "Save profile" }],
    saved: [{ label: "Nickname", value: "Otterly" }],
    caughtBy: /"Nickname" is in no request|"Otterly" was entered into "Nickname"/,
  },
  {
    what: "a page shows the text again only because its URL has it",
    prompt: REPLACE,
    path: "/editor-with-query",
    deeds: [{ fill: "Jump to", text: TEXT }, { click: "Jump" }, { click: "Save" }],
    saved: [
      {
        label: "Jump to",
        value: TEXT,
        path: `/editor-with-query?q=${encodeURIComponent(TEXT).replaceAll("%20", "+")}`,
      },
    ],
    caughtBy: /"Jump to" is in no request/,
  },
  {
    what: "the form came back with what was entered, with status 200",
    prompt: `Create the event "Spring fair".`,
    path: "/returning",
    deeds: [{ fill: "Title", text: "Spring fair" }, { click: "Create" }],
    texts: [{ path: "/returning", text: "New event" }],
    caughtBy: /POST .*\/returning returned 200, the page shows the same form again, with what was entered/,
  },
  {
    what: "the form came back by a redirect, with a message",
    prompt: `Create the event "Spring fair".`,
    path: "/redirecting",
    deeds: [{ fill: "Title", text: "Spring fair" }, { click: "Create" }],
    texts: [{ path: "/redirecting", text: "New event" }],
    caughtBy: /the page shows the same form again, and says: "Date is required/,
  },
  {
    what: "a script left the form as it is and marked a field as invalid",
    prompt: `Create the event "Spring fair".`,
    path: "/scripted",
    deeds: [{ fill: "Title", text: "Spring fair" }, { click: "Create" }],
    texts: [{ path: "/scripted", text: "New event" }],
    caughtBy: /the page shows the same form again, and says/,
  },
  {
    what: "an error message is cited as proof",
    prompt: "Register Sam Field for the summer camp.",
    path: "/camp",
    deeds: [{ fill: "Name", text: "Sam Field" }, { click: "Register" }],
    texts: [{ path: "/camp", text: "Registrations are closed for this year" }],
    caughtBy: /cites a message that something did not work/,
  },
  {
    what: "the proof is what the run itself typed",
    prompt: `Write the note "Water the ferns".`,
    path: "/previewing",
    deeds: [{ fill: "Note", text: "Water the ferns" }],
    texts: [{ path: "/previewing", text: "Water the ferns" }],
    caughtBy: /is what the run itself has typed; no fresh page shows it/,
  },
  {
    what: "the value comes from a paragraph for AI agents",
    prompt: "What is the customer number?",
    path: "/customer",
    answer: "It is 99999.",
    facts: [{ label: "customer number", value: "99999", quote: "the customer number is 99999", path: "/customer" }],
    caughtBy: /is in text that addresses AI agents or assistants/,
  },
  {
    what: "a sentence contradicts a labelled value",
    prompt: "What is the order number?",
    path: "/mentions",
    answer: "It is T-200.",
    facts: [{ label: "order number", value: "T-200", quote: "Your order number is T-200.", path: "/mentions" }],
    caughtBy: /The page says "Your order number is T-200\.", and elsewhere "order number: T-100"/i,
  },
];

describe.each([
  ["without a model", false],
  ["with a judge that believes everything", true],
])("%s, a claim is refused when", (_, isJudged) => {
  test.each(casesOfTier(WRONG, { ci: 6 }))("$what", async ({ caughtBy, what: _what, ...wrong }) => {
    const { outcome, against } = await run(wrong, isJudged);
    expect(outcome).toMatchObject({ kind: "failed", failure: "unverified" });
    expect(against).toMatch(caughtBy);
  });
});

const save = (path: string, more: Partial<Case> = {}): Case => ({
  prompt: REPLACE,
  path,
  deeds: [{ fill: "Text", text: TEXT }, { click: "Save" }],
  saved: [{ label: "Text", value: TEXT }],
  ...more,
});

const RIGHT: (Case & { what: string })[] = [
  { what: "a form", ...save("/editor") },
  { what: "a form with files", ...save("/multipart") },
  { what: "JSON", ...save("/json") },
  { what: "GraphQL variables", ...save("/graphql") },
  { what: "paragraphs of rich text", ...save("/rich") },
  {
    what: "a change of one field, saved while typing",
    ...save("/autosaving", { deeds: [{ fill: "Text", text: TEXT }] }),
  },
  { what: "an encrypted body", ...save("/encrypted") },
  { what: "a page that keeps its text in the browser", ...save("/local") },
  {
    what: "a page that was found with the search box",
    prompt: "Search for bread, open the first result and click Order.",
    path: "/finding",
    deeds: [{ fill: "Search", text: "bread" }, { click: "Rye loaf" }, { click: "Order" }],
    texts: [{ path: "/ordered", text: "Thank you" }],
  },
  {
    what: "a form for something new, which no page shows",
    prompt: `Send the message "Please call me back".`,
    path: "/contact",
    deeds: [{ fill: "Message", text: "Please call me back" }, { click: "Send" }],
    saved: [{ label: "Message", value: "Please call me back" }],
    texts: [{ path: "/contacted", text: "Thank you" }],
  },
  {
    what: "a settings form that shows its values again",
    prompt: "Set the size to Large, turn on alerts and save.",
    path: "/settings",
    deeds: [
      { select: "Size", option: "Large" },
      { check: "Alerts", to: true },
      { fill: "City", text: "Ulm" },
      { click: "Save" },
    ],
    saved: [
      { label: "Size", value: "Large" },
      { label: "Alerts", value: "checked" },
      { label: "City", value: "Ulm" },
    ],
  },
  {
    what: "a value beside text for AI agents",
    prompt: "What is the customer number?",
    path: "/customer",
    answer: "It is 12345.",
    facts: [{ label: "customer number", value: "12345", quote: "Customer number 12345", path: "/customer" }],
  },
];

describe.each([
  ["without a model", false],
  ["with a judge", true],
])("%s, a claim is verified that rests on", (_, isJudged) => {
  test.each(casesOfTier(RIGHT, { ci: 6 }))("$what", async ({ what: _what, ...right }) => {
    const { outcome, against } = await run(right, isJudged);
    expect(against).toBe("");
    expect(outcome.kind).toBe("verified");
  });
});

test("what was sent is in no artifact, no event and no verdict", async () => {
  const { artifacts, steps, outcome } = await run(
    {
      prompt: "Sign in.",
      path: "/secret",
      deeds: [{ fill: "Code word", text: "canary-4711" }, { click: "Save" }],
      texts: [{ path: "/shown", text: "Saved" }],
    },
    true,
  );
  const network = artifacts.find(({ kind }) => kind === "network")?.data.toString() ?? "";
  expect(network).toContain("/secret");
  expect(network).not.toContain("hidden-canary");
  expect(JSON.stringify([steps, outcome])).not.toContain("hidden-canary");
  expect(artifacts.map(({ data }) => data.toString("latin1")).join()).not.toContain("hidden-canary");
});
