import { beforeAll, expect, test } from "vitest";
import type { Condition } from "../../../src/agent/grounding/claim.ts";
import type { Planner } from "../../../src/agent/planner/planner.ts";
import { Html } from "../../../src/lib/html.ts";
import { startTestAgent, type TestAgent } from "../../_harness/agent.ts";
import { type Deed, tellStory } from "../../_harness/storyteller.ts";
import { amountOfTier } from "../../_harness/tier.ts";
import { RequestLog } from "../../sites/request-log.ts";
import { serveSite } from "../../sites/serve-site.ts";
import { type Answer, redirectTo, type Site, type SiteRequest, sendJson, showPage } from "../../sites/site.ts";

// Random forms on a real server. Whatever the verifier agrees to must be in the server's own record, and what an honest run
// has stored there must be agreed to.

const SEED = Number(process.env.HONESTY_SEED ?? 20_260_311);
const FORMS = Number(process.env.HONESTY_FORMS ?? amountOfTier({ ci: 8, nightly: 16 }));

type Random = () => number;

/** Mulberry32: the same forms for the same seed. */
function startRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const pick = <T>(random: Random, all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;

type Control =
  | { kind: "text" | "textarea"; name: string; label: string; was: string; value: string }
  | {
      kind: "select";
      name: string;
      label: string;
      was: string;
      value: string;
      options: readonly [value: string, text: string][];
    }
  | { kind: "checkbox"; name: string; label: string }
  | {
      kind: "radio";
      name: string;
      label: string;
      was: string;
      value: string;
      options: readonly [value: string, text: string][];
    };

type Transport = "application/x-www-form-urlencoded" | "multipart/form-data" | "json";

interface Form {
  id: "a" | "b";
  transport: Transport;
  controls: readonly Control[];
}

interface Trial {
  forms: readonly [Form, Form];
  /** What the server does with a submission. */
  server: "keeps" | "forgets one" | "shows the form again";
  /** The controls that the run fills in, and the form it sends. */
  entered: readonly Control[];
  sends: "a" | "b";
}

const WORDS = [
  "heron",
  "Größe",
  "tea & scones",
  "O'Neil",
  "5",
  "ok",
  "2026-01-31",
  "12.50",
  'the "old" mill',
  "Rue de l’Église",
  "a < b",
  "+49 170 1234567",
];
const OPTIONS: readonly [string, string][] = [
  ["1", "Small"],
  ["2", "Medium"],
  ["3", "Large"],
];

function makeTrial(random: Random): Trial {
  const forms = (["a", "b"] as const).map((id): Form => {
    const controls = Array.from({ length: 2 + Math.floor(random() * 3) }, (_, index) =>
      makeControl(random, `${id}${index}`),
    );
    return {
      id,
      transport: pick(random, ["application/x-www-form-urlencoded", "multipart/form-data", "json"]),
      controls,
    };
  });
  const [a, b] = forms as [Form, Form];
  const wrongForm = random() < 0.3;
  const entered = a.controls.filter(() => random() < 0.7);
  return {
    forms: [a, b],
    server: pick(random, ["keeps", "keeps", "keeps", "forgets one", "shows the form again"]),
    entered: entered.length === 0 ? a.controls.slice(0, 1) : entered,
    sends: wrongForm ? "b" : "a",
  };
}

function makeControl(random: Random, name: string): Control {
  const kind = pick(random, ["text", "text", "textarea", "select", "checkbox", "radio"] as const);
  const label = `Field ${name}`;
  if (kind === "checkbox") return { kind, name, label };
  if (kind === "select" || kind === "radio")
    return { kind, name, label, was: "1", value: pick(random, ["2", "3"]), options: OPTIONS };
  const lines =
    kind === "textarea" && random() < 0.5 ? [pick(random, WORDS), pick(random, WORDS)] : [pick(random, WORDS)];
  return { kind, name, label, was: random() < 0.5 ? "" : "before", value: lines.join("\n") };
}

const toAttribute = (text: string) => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");

function drawControl(control: Control, held: string | undefined): string {
  const { kind, name, label } = control;
  switch (kind) {
    case "text":
      return `<label>${label} <input name="${name}" value="${toAttribute(held ?? control.was)}"></label>`;
    case "textarea":
      return `<label>${label} <textarea name="${name}">${toAttribute(held ?? control.was)}</textarea></label>`;
    case "checkbox":
      return `<label><input type="checkbox" name="${name}"${held === undefined ? "" : " checked"}>${label}</label>`;
    case "select":
      return `<label>${label} <select name="${name}">${control.options.map(([value, text]) => `<option value="${value}"${value === (held ?? control.was) ? " selected" : ""}>${text}</option>`).join("")}</select></label>`;
    case "radio":
      return control.options
        .map(
          ([value, text]) =>
            `<label><input type="radio" name="${name}" value="${value}"${value === (held ?? control.was) ? " checked" : ""}>${label} ${text}</label>`,
        )
        .join("");
  }
}

function drawForm({ id, transport, controls }: Form, held: ReadonlyMap<string, string>): string {
  const inner = `${controls.map((control) => `<p>${drawControl(control, held.get(control.name))}</p>`).join("")}<input type="hidden" name="step" value="5"><button>Save ${id}</button>`;
  if (transport !== "json") return `<form method="post" action="/${id}" enctype="${transport}">${inner}</form>`;
  return `<form id="${id}">${inner}</form><script>document.getElementById("${id}").onsubmit = async (event) => {
    event.preventDefault();
    const fields = Object.fromEntries(new FormData(event.target));
    await fetch("/${id}", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ data: { fields } }) });
    location.reload();
  };</script>`;
}

class Server {
  trial: Trial = makeTrial(startRandom(1));
  /** The server's own record: by the name of the control. */
  readonly stored = new Map<string, string>();

  start(trial: Trial): void {
    this.trial = trial;
    this.stored.clear();
  }

  get site(): Site<null> {
    const receive = (id: "a" | "b") => (request: SiteRequest) => this.#receive(id, request);
    return {
      state: null,
      routes: { "GET /": () => this.#draw(this.stored), "POST /a": receive("a"), "POST /b": receive("b") },
    };
  }

  #draw(held: ReadonlyMap<string, string>): Answer {
    const [a, b] = this.trial.forms;
    const search = `<form action="/find" role="search"><input type="search" name="q" aria-label="Search"></form>`;
    return showPage(
      new Html(
        `<!doctype html><meta charset="utf-8"><title>Forms</title><h1>Forms</h1>${search}${drawForm(a, held)}<hr>${drawForm(b, held)}`,
      ),
    );
  }

  #receive(id: "a" | "b", { body }: SiteRequest): Answer {
    const form = this.trial.forms.find((each) => each.id === id) as Form;
    const sent = readSent(form.transport, body);
    const isJson = form.transport === "json";
    if (this.trial.server === "shows the form again") return isJson ? sendJson({ ok: false }) : this.#draw(sent);
    const forgotten = this.trial.server === "forgets one" ? this.trial.entered[0]?.name : undefined;
    for (const { name } of form.controls) {
      const value = sent.get(name);
      if (name === forgotten) continue;
      if (value === undefined) this.stored.delete(name);
      else this.stored.set(name, value);
    }
    return isJson ? sendJson({ ok: true }) : redirectTo("/");
  }
}

function readSent(transport: Transport, body: string): Map<string, string> {
  if (transport === "json")
    return new Map(Object.entries((JSON.parse(body) as { data: { fields: Record<string, string> } }).data.fields));
  if (transport === "application/x-www-form-urlencoded") return new Map(new URLSearchParams(body));
  return new Map(
    [...body.matchAll(/name="([^"]+)"\r\n\r\n([\s\S]*?)\r\n--/g)].map(([, name = "", value = ""]) => [name, value]),
  );
}

function deedFor(control: Control): Deed {
  switch (control.kind) {
    case "checkbox":
      return { check: control.label, to: true };
    case "radio":
      return { check: `${control.label} ${textOf(control)}`, to: true };
    case "select":
      return { select: control.label, option: textOf(control) };
    default:
      return { fill: control.label, text: control.value };
  }
}

function textOf({ options, value }: Extract<Control, { options: unknown }>): string {
  return options.find(([key]) => key === value)?.[1] ?? "";
}

function conditionFor(control: Control, url: string): Condition {
  const label = control.kind === "radio" ? `${control.label} ${textOf(control)}` : control.label;
  const isBox = control.kind === "radio" || control.kind === "checkbox";
  const value = isBox ? "checked" : control.kind === "select" ? textOf(control) : control.value;
  return { kind: "field", url, label, value, isSaved: true, about: `"${label}" is saved` };
}

/** Whether the server has what was entered. Browsers send line breaks as CRLF. */
function isStored(control: Control, stored: ReadonlyMap<string, string>): boolean {
  const value = stored.get(control.name)?.replaceAll("\r\n", "\n");
  return control.kind === "checkbox" ? value !== undefined : value === control.value;
}

/** A planner that fills in, sends, and claims that all of it is saved. */
function planFor({ entered, sends }: Trial, url: string): Planner {
  const story = tellStory({ deeds: [...entered.map(deedFor), { click: `Save ${sends}` }], answer: "Saved." });
  return {
    ...story,
    async plan(task, context) {
      const plan = await story.plan(task, context);
      const next: typeof plan.next = async (turn) => {
        const decision = await plan.next(turn);
        if (decision.kind !== "done") return decision;
        return {
          ...decision,
          claim: { ...decision.claim, conditions: entered.map((control) => conditionFor(control, url)) },
        };
      };
      return { ...plan, next };
    },
  };
}

let agent: TestAgent;
let url: string;
const server = new Server();

beforeAll(async () => {
  const stack = new AsyncDisposableStack();
  agent = stack.use(await startTestAgent());
  url = `${stack.use(await serveSite(server.site, { name: "forms", host: "127.0.0.1", log: new RequestLog() })).url}/`;
  return () => stack.disposeAsync();
});

test(`what is verified is in the server's own record: ${FORMS} forms, HONESTY_SEED=${SEED}`, async () => {
  const random = startRandom(SEED);
  const seen = { verified: 0, refused: 0 };
  for (let number = 1; number <= FORMS; number++) {
    const trial = makeTrial(random);
    server.start(trial);
    const { outcome } = await agent.run({
      prompt: "Fill in the form and save it.",
      startUrl: url,
      planner: planFor(trial, url),
    });
    const isRight = trial.entered.every((control) => isStored(control, server.stored));
    const what = `form ${number}: ${JSON.stringify({ ...trial, stored: [...server.stored], reason: outcome.reason })}`;
    expect(outcome.kind === "verified", what).toBe(isRight);
    seen[isRight ? "verified" : "refused"] += 1;
  }
  // Otherwise the forms say nothing.
  expect(Math.min(seen.verified, seen.refused)).toBeGreaterThan(FORMS / 6);
});
