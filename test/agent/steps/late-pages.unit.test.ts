import { describe, expect, test } from "vitest";
import type { Turn } from "../../../src/agent/planner/planner.ts";
import { readPrompt } from "../../../src/agent/steps/english/read-prompt.ts";
import { performStep } from "../../../src/agent/steps/perform.ts";
import { type Request, StepsRun, Stop } from "../../../src/agent/steps/run.ts";
import type { Observation, ObservedNode } from "../../../src/browser/observation/observation.ts";
import { field, node, observation, report, request } from "../../_harness/observed.ts";

const URL = "https://packages.example/tide-table";
const text = (content: string) => node("text", content);
const box = (role: string, ...children: ObservedNode[]) => node(role, "", { children });
const target = (role: string, name: string) => node(role, name, { ref: `e-${name}` });
const item = (name: string, value: string) => box("listitem", target("link", name), box("generic", text(value)));
const list = (...names: string[]) =>
  box("list", ...names.map((name) => box("listitem", node("link", name, { ref: `e-${name}`, url: `/${name}` }))));

const TABS = box("tablist", target("tab", "Readme"), target("tab", "Versions"));
const ASIDE = box("generic", text("Latest v2.0.3 - Published a minute ago"));
const page = (...children: ObservedNode[]) => observation(URL, [box("main", TABS, ...children, ASIDE)]);

const README = page(node("heading", "tide-table", { states: { level: 1 } }), text("Tides of small harbours."));
const EMPTY = page();
const VERSIONS = page(
  node("heading", "Current tags", { states: { level: 2 } }),
  box("list", item("latest", "2.0.3")),
  node("heading", "History", { states: { level: 2 } }),
  box("list", item("2.0.3", "a minute ago"), item("1.1.0", "a minute ago")),
);

interface Outcome {
  answers: readonly string[] | string;
  /** How many times the page was looked at only to wait for it. */
  looks: number;
}

/** Each action and each look shows the next of the pages; at the end the last one stays. */
function run(prompt: string, pages: readonly Observation[], hasLoadedDocument = false): Outcome {
  const reading = readPrompt(prompt);
  if (reading.kind === "refused") throw new Error(`"${reading.clause}" is not understood.`);
  const left = [...pages];
  let shown = left.shift() as Observation;
  let looks = 0;
  const toTurn = (action: string): Turn => {
    const requests =
      hasLoadedDocument && action !== "look" ? [request({ method: "GET", url: shown.url, isNavigation: true })] : [];
    return {
      observation: shown,
      reports: [report(action, {}, { urlBefore: shown.url, urlAfter: shown.url, events: { requests } })],
      stepsLeft: 100,
      spent: 0,
      takeScreenshot: async () => null,
      signal: new AbortController().signal,
    };
  };
  let turn = toTurn("look");
  const follow = (wanted: Request): void => {
    if (wanted.kind !== "act") return;
    const action = wanted.calls[0]?.action ?? "";
    looks += action === "look" ? 1 : 0;
    shown = left.shift() ?? shown;
    turn = toTurn(action);
  };
  const state = new StepsRun(turn, URL);
  try {
    for (const { step } of reading.steps) {
      const running = performStep(step, state);
      for (let next = running.next(turn); next.done !== true; next = running.next(turn)) follow(next.value);
    }
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return { answers: error.message, looks };
  }
  return { answers: state.answers.map(({ text: said }) => said), looks };
}

describe("a value is read only when the page shows what the last action did:", () => {
  test("what was there is gone, and the new part is not there yet", () => {
    expect(run("Click the Versions tab. What is latest?", [README, EMPTY, VERSIONS]).answers).toEqual(["2.0.3"]);
  });

  test("nothing has changed yet", () => {
    expect(run("Click the Versions tab. What is latest?", [README, README, EMPTY, VERSIONS]).answers).toEqual([
      "2.0.3",
    ]);
  });

  test("a part of it is there already", () => {
    const half = page(node("heading", "Current tags", { states: { level: 2 } }));
    expect(run("Click the Versions tab. What is latest?", [README, half, VERSIONS]).answers).toEqual(["2.0.3"]);
  });

  test("the document that was loaded says that it is loading", () => {
    const loading = page(text("Loading…"));
    expect(run("What is latest?", [loading, VERSIONS]).answers).toEqual(["2.0.3"]);
    expect(run("What is latest?", [page(node("progressbar")), VERSIONS]).answers).toEqual(["2.0.3"]);
  });

  test("a filter that works a moment after something was entered", () => {
    const search = (value: string) => node("textbox", "Search", { ref: "e-Search", value, field: field("text") });
    const at = (value: string, ...names: string[]) => page(search(value), list(...names));
    const all = ["berth-map", "date-steps", "tide-table"];
    const pages = [at("", ...all), at("berth", ...all), at("berth", "berth-map")];
    expect(run('Type berth into "Search". How many links are on this page?', pages).answers).toEqual(["1"]);
  });

  test("a condition", () => {
    const { answers } = run('Click the Versions tab. If it says "Current tags", what is latest?', [
      README,
      EMPTY,
      VERSIONS,
    ]);
    expect(answers).toEqual(["2.0.3"]);
  });
});

describe("waiting ends", () => {
  test("at once where an action loaded another document", () => {
    const { answers, looks } = run("Click the Versions tab. What is latest?", [README, VERSIONS], true);
    expect({ answers, looks }).toEqual({ answers: ["2.0.3"], looks: 0 });
  });

  test("after one look at a page that stays the same", () => {
    const { answers, looks } = run("Click the Versions tab. What is latest?", [README, VERSIONS]);
    expect({ answers, looks }).toEqual({ answers: ["2.0.3"], looks: 1 });
  });

  test("once on a page that always shows how far something has got", () => {
    const value = (label: string, said: string) => [node("term", label), node("definition", said)];
    const values = box("generic", ...value("Goal", "€900"), ...value("Raised", "€560"), ...value("Ends", "3 May"));
    const campaign = page(node("progressbar", "Raised so far"), values);
    const { answers, looks } = run("What is the goal? What is raised? What is ends?", [campaign]);
    expect({ answers, looks }).toEqual({ answers: ["€900", "€560", "3 May"], looks: 3 });
  });

  test("after a few looks at a page on which an action changes nothing", () => {
    const { answers, looks } = run("Click the Readme tab. What is latest?", [README]);
    expect({ answers, looks }).toEqual({ answers: ["v2.0.3"], looks: 3 });
  });
});
