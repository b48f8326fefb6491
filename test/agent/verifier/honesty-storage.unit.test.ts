import { describe, expect, test } from "vitest";
import type { Case } from "../../../src/agent/verifier/case.ts";
import { checkStored } from "../../../src/agent/verifier/check-stored.ts";
import type { ObservedNode } from "../../../src/browser/observation/observation.ts";
import type { BrowserSession, StoredChange } from "../../../src/browser/session/browser-session.ts";
import { caseOf, HOME } from "../../_harness/doubtful-case.ts";
import { field, node, observation, request } from "../../_harness/observed.ts";

const NOTE = "Sweep the yard";
const line = (text: string) => node("paragraph", "", { children: [node("text", text)] });
const frame = ["Notes", "All notes", "Help", "Imprint"].map(line);
const type = (text: string) => ({ call: { action: "fill", input: { label: "New note", text } } });
const click = (label: string) => ({ call: { action: "click", input: { label } } });
const loads = request({ method: "GET", url: "https://shop.example/api/notes", status: 200 });
const now = (entries: Record<string, string>): StoredChange["entries"] =>
  Object.entries(entries).map(([name, value]) => ({ name, before: null, now: value }));

interface Stored {
  /** What has changed in the storage. */
  entries: StoredChange["entries"];
  /** The page with the storage from before the run; without one it is as the run saw it first. */
  untouched?: ObservedNode[];
  requests?: Case["events"]["requests"];
}

/** What the check says of a run. */
async function verdictOf(scene: Parameters<typeof caseOf>[0], { entries, untouched, requests = [] }: Stored) {
  const session: Pick<BrowserSession, "findStoredChanges" | "observeForVerification"> = {
    findStoredChanges: async () => [{ origin: new URL(HOME).origin, entries }],
    observeForVerification: async () => [
      { status: 200, observation: observation(HOME, untouched ?? scene.states?.[0] ?? []) },
    ],
  };
  const context = { ...caseOf(scene), events: { requests, downloads: [], dialogs: [] } };
  const checks = await checkStored(context, session as BrowserSession, new AbortController().signal);
  return checks.map(({ verdict }) => verdict);
}

const ADD = {
  prompt: `Add the note "${NOTE}".`,
  steps: [type(NOTE), click("Add")],
  states: [frame],
  fresh: [...frame, line(NOTE)],
};
const NOTES = { notes: JSON.stringify([NOTE]) };

describe("a note that is only in the storage", () => {
  test.each([
    ["of a site without a server", now(NOTES), [], "satisfied"],
    ["of a site with a server", now(NOTES), [loads], "unknown"],
    ["beside a theme", now({ ...NOTES, theme: "light" }), [loads], "unknown"],
    ["whose key is a name with such letters", now({ descartes: NOTES.notes }), [loads], "unknown"],
    ["in a cart", now({ cartItems: NOTES.notes, visitor: "7" }), [loads], "satisfied"],
    ["in a wish list", now({ wishlistIds: NOTES.notes }), [loads], "satisfied"],
    ["in a form that nobody can read, beside a theme", now({ notes: "xQ7", theme: "light" }), [loads], "unknown"],
  ] as const)("%s", async (_, entries, requests, verdict) => {
    expect(await verdictOf(ADD, { entries, requests })).toEqual([verdict]);
  });

  test.each([
    "outbox",
    "outboxItems",
    "syncQueue",
    "pendingChanges",
    "pendingchanges",
    "offlineActions",
    "unsyncedNotes",
    "dirtyRecords",
  ])("and waits to be sent: %s", async (name) => {
    expect(await verdictOf(ADD, { entries: now({ ...NOTES, [name]: "[1]" }) })).toEqual(["unknown"]);
  });

  test.each(["asyncCache", "dependingOn", "retryable"])("and waits for nothing: %s", async (name) => {
    expect(await verdictOf(ADD, { entries: now({ ...NOTES, [name]: "[1]" }) })).toEqual(["satisfied"]);
  });

  test("of a site that only reports how it is used", async () => {
    const report = request({ url: "https://shop.example/analytics", number: 2 });
    const scene = { ...ADD, writes: [{ ...report, step: 2 }] };
    expect(await verdictOf(scene, { entries: now(NOTES), requests: [report] })).toEqual(["satisfied"]);
    const save = request({ url: "https://shop.example/api/presets", number: 2 });
    const saving = { ...ADD, writes: [{ ...save, step: 2 }] };
    expect(await verdictOf(saving, { entries: now(NOTES), requests: [save] })).toEqual(["unknown"]);
  });
});

describe("an application that is empty at first", () => {
  const states = [[line("Welcome"), line("Write your first note")]];
  const entries = now({ ...NOTES, outbox: "[1]" });

  test("is no page for signing in", async () => {
    expect(await verdictOf({ ...ADD, states }, { entries })).toEqual(["unknown"]);
  });

  test("is one if it asks for a password", async () => {
    const signIn = [line("Welcome"), node("textbox", "Password", { field: field("password", { isSecret: true }) })];
    expect(await verdictOf({ ...ADD, states: [signIn, ...states] }, { entries })).toEqual([]);
  });

  test("says nothing if it shows something else than at first", async () => {
    expect(await verdictOf({ ...ADD, states }, { entries, untouched: [line("Choose a plan")] })).toEqual([]);
  });
});

describe("a click that only the storage remembers", () => {
  const star = (pressed: boolean) => node("button", "Star the list", { ref: "e1", states: { pressed } });
  const scene = {
    prompt: "Star the list.",
    steps: [click("Star the list")],
    states: [[...frame, star(false)]],
    fresh: [...frame, star(true)],
  };
  const stored = { entries: now({ starred: "yes" }), requests: [loads] };
  const sent = (path: string, step = 1) => ({
    ...scene,
    writes: [{ url: `https://shop.example${path}`, status: 200, step }],
  });

  test.each(["/analytics", "/api/track", "/api/events"])("has not left the browser with a report: %s", async (path) => {
    expect(await verdictOf(sent(path), stored)).toEqual(["unknown"]);
  });

  test("has left it with a request of its own", async () => {
    expect(await verdictOf(sent("/api/stars"), stored)).toEqual([]);
  });

  test("has not left it with what was accepted before", async () => {
    const steps = [click("Accept all cookies"), click("Star the list")];
    const writes = [{ url: "https://shop.example/preferences", status: 200, step: 1 }];
    expect(await verdictOf({ ...scene, steps, writes }, stored)).toEqual(["unknown"]);
  });

  test("is kept there on purpose if it is a theme, and not if a theme is only stored beside it", async () => {
    const entries = now({ starred: "yes", theme: "dark" });
    expect(await verdictOf(scene, { entries, requests: [loads] })).toEqual(["unknown"]);
    const button = (pressed: boolean) => node("button", "Night", { ref: "e1", states: { pressed } });
    const dark = {
      prompt: "Switch to the dark theme, with the button Night.",
      steps: [click("Night")],
      states: [[...frame, button(false)]],
      fresh: [...frame, button(true)],
    };
    expect(await verdictOf(dark, { entries: now({ theme: "dark", visitor: "7" }), requests: [loads] })).toEqual([
      "satisfied",
    ]);
  });
});
