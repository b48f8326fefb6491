import type { Observation } from "../../../browser/observation/observation.ts";
import { type FieldPlace, isSamePlace } from "../../../browser/observation/twin-fields.ts";
import type { ActionCall, ActionReport } from "../../actions/action.ts";
import { ACTIONS } from "../../actions/catalogue.ts";
import { MASK } from "../../actions/public-call.ts";
import { isSamePage } from "../../grounding/captured-pages.ts";
import type { Condition, Fact } from "../../grounding/claim.ts";
import { findFieldValues, isCutValue, isSameValue } from "../../grounding/page-text.ts";
import { maskUrl, toOneLine } from "../../safe-text.ts";
import type { Turn } from "../planner.ts";
import { Evidence, isChange } from "./evidence.ts";
import { KnownUrls } from "./known-urls.ts";
import { StuckDetector } from "./stuck-detector.ts";

/** Everything a run remembers, kept by code. The model itself remembers nothing between requests. */
export class Memory {
  readonly evidence = new Evidence();
  readonly notebook = new Notebook();
  readonly history = new History();
  readonly entered = new EnteredFields();
  readonly stuckDetector = new StuckDetector();
  readonly urls: KnownUrls;
  /** Whether anything was clicked, entered or chosen. */
  hasActed = false;

  constructor(prompt: string, startUrl: string | null) {
    this.urls = new KnownUrls(prompt, startUrl);
  }

  observe({ observation, reports }: Turn): void {
    this.evidence.observe(observation, reports);
    this.urls.observe(observation);
    this.entered.record(reports, observation);
    this.stuckDetector.observe(observation, reports);
    for (const report of reports) this.history.add(report);
    this.hasActed ||= reports.some(
      ({ call, failure }) => failure === null && ACTIONS.get(call.action)?.effect === "mutate",
    );
  }
}

const MAX_RECENT = 12;
const MAX_PAGES = 12;
const MAX_LINE = 180;

/** What was done: the latest steps one by one, earlier ones counted by page. So it stays short in a long run. */
export class History {
  #steps = 0;
  #recent: string[] = [];
  /** Path → action → count. */
  readonly #earlier = new Map<string, Map<string, number>>();
  readonly #recentPaths: { path: string; action: string }[] = [];

  add(report: ActionReport): void {
    this.#steps += 1;
    this.#recent.push(toOneLine(`${this.#steps} ${describeReport(report)}`, MAX_LINE));
    this.#recentPaths.push({ path: pathOf(report.urlBefore), action: report.call.action });
    if (this.#recent.length <= MAX_RECENT) return;
    this.#recent.shift();
    const old = this.#recentPaths.shift();
    if (old !== undefined) this.#collapse(old);
  }

  /** Without the `newest` steps, which are elsewhere in the prompt. */
  toLines(newest = 0): string[] {
    const count = this.#steps - this.#recent.length;
    const recent = newest === 0 ? this.#recent : this.#recent.slice(0, -newest);
    if (count === 0) return recent;
    // Most used pages first.
    const pages = [...this.#earlier].toSorted(([, one], [, other]) => sum(other) - sum(one));
    const listed = pages.slice(0, MAX_PAGES).map(([path, actions]) => {
      return `${path} (${[...actions].map(([action, times]) => `${action} ${times}`).join(", ")})`;
    });
    const more = pages.length > listed.length ? [`${pages.length - listed.length} more pages`] : [];
    return [`1 to ${count}, by page: ${[...listed, ...more].join("; ")}`, ...recent];
  }

  #collapse({ path, action }: { path: string; action: string }): void {
    const actions = this.#earlier.get(path) ?? new Map<string, number>();
    actions.set(action, (actions.get(action) ?? 0) + 1);
    this.#earlier.set(path, actions);
  }
}

function sum(actions: ReadonlyMap<string, number>): number {
  return [...actions.values()].reduce((total, count) => total + count, 0);
}

/** One step in one line: the call and its result. */
export function describeReport({ call, failure, urlBefore, urlAfter, events }: ActionReport): string {
  const parts = [describeInput(call)];
  if (failure !== null) parts.push(`failed (${failure.kind})`);
  if (urlBefore !== urlAfter) parts.push(`→ ${pathOf(urlAfter)}`);
  const sent = events.requests.filter(
    (request) => isChange(request) || (request.isNavigation && (request.status ?? 0) >= 400),
  );
  const responses = sent.map(
    ({ method, url, status, failure: why }) => `${method} ${pathOf(url)} ${status ?? why ?? "no response"}`,
  );
  if (responses.length > 0) parts.push(`[${responses.slice(0, 3).join("; ")}]`);
  return parts.join(" ");
}

function describeInput({ action, input }: ActionCall): string {
  const {
    label,
    to_label: onto,
    text,
    options,
    checked,
    url,
    key,
    words,
    direction,
    gone,
    url_contains: urlPart,
    id,
    accept,
    name,
    right,
  } = input;
  const target = typeof label === "string" && label !== "" ? [`"${toOneLine(label, 60)}"`] : [];
  const more = [
    right === true ? "right" : undefined,
    onto,
    text,
    key,
    words,
    direction,
    gone,
    urlPart,
    id,
    name,
    checked,
    accept,
  ]
    .concat(typeof url === "string" ? [pathOf(url)] : [], Array.isArray(options) ? options : [])
    .filter((value) => value !== undefined)
    .map((value) => toOneLine(String(value), 60));
  return [action, ...target, ...(more.length === 0 ? [] : [`(${more.join(", ")})`])].join(" ");
}

/** Enough to recognize a page. */
export function pathOf(fullUrl: string): string {
  const masked = maskUrl(fullUrl);
  const url = URL.parse(masked);
  if (url === null) return toOneLine(masked, 60);
  return toOneLine(`${url.pathname}${url.search.replaceAll("%E2%80%A6", "…")}`, 60);
}

interface Note {
  readonly id: string;
  readonly fact: Fact;
}

const MAX_SHOWN = 40;

/** Facts that the model noted, each with its ground: what a long run remembers of earlier pages. */
export class Notebook {
  readonly #notes: Note[] = [];

  /** Returns the id with which a claim can cite it. */
  add(fact: Fact): string {
    const known = this.#notes.find(
      ({ fact: { label, quote, url } }) => label === fact.label && quote === fact.quote && url === fact.url,
    );
    if (known !== undefined) return known.id;
    const id = `n${this.#notes.length + 1}`;
    this.#notes.push({ id, fact });
    return id;
  }

  find(id: string): Fact | null {
    return this.#notes.find((note) => note.id === id.trim())?.fact ?? null;
  }

  /** One line for each note. */
  toLines(): string[] {
    const hidden = this.#notes.length - MAX_SHOWN;
    const lines = this.#notes
      .slice(-MAX_SHOWN)
      .map(({ id, fact: { label, value } }) => `${id} ${toOneLine(label, 80)}: ${toOneLine(String(value), 100)}`);
    return hidden > 0 ? [`n1 to n${hidden} are also saved and can be cited.`, ...lines] : lines;
  }
}

type FieldCondition = Extract<Condition, { kind: "field" }>;

const MAX_FIELDS = 40;

/**
 * What was entered into fields, except secrets. It becomes part of every claim, whatever the model cites, so that a page
 * that says "saved" but keeps the old value is noticed.
 */
class EnteredFields {
  #fields: FieldCondition[] = [];

  record(reports: readonly ActionReport[], observation: Observation): void {
    for (const report of reports) this.#add(report, observation);
    // A suggestion that was picked replaces what was typed. What the site makes of a submitted value does not.
    if (reports.every(({ events }) => !events.requests.some(isChange))) this.#update(observation);
  }

  list(): readonly Condition[] {
    return this.#fields;
  }

  #add({ call, place, failure, urlBefore, urlAfter }: ActionReport, observation: Observation): void {
    const { label } = call.input;
    if (failure !== null || urlBefore !== urlAfter || typeof label !== "string" || label === "") return;
    const value = enteredBy(call, label, place, observation);
    if (value === null || value === MASK) return;
    const about = `"${toOneLine(label, 60)}" holds "${toOneLine(value, 60)}"`;
    const others = this.#fields.filter(
      (field) => field.label !== label || !isSamePage(field.url, urlAfter) || !isSamePlace(field.place, place),
    );
    const added = { kind: "field" as const, url: urlAfter, label, place, value, isSaved: false, about };
    this.#fields = [...others, added].slice(-MAX_FIELDS);
  }

  #update(observation: Observation): void {
    this.#fields = this.#fields.map((field) => {
      if (!isSamePage(field.url, observation.url)) return field;
      const held = findFieldValues(observation, field.label, field.place).filter((value) => value !== "");
      const [shown] = held;
      if (shown === undefined || held.some((value) => isSameValue(value, field.value))) return field;
      return { ...field, value: shown, about: `"${toOneLine(field.label, 60)}" holds "${toOneLine(shown, 60)}"` };
    });
  }
}

function enteredBy(
  { action, input }: ActionCall,
  label: string,
  place: FieldPlace | null,
  observation: Observation,
): string | null {
  if (action === "check") return input["checked"] === true ? "checked" : "unchecked";
  if (action === "fill") return typeof input["text"] === "string" ? input["text"] : null;
  if (action !== "edit") return null;
  const [held, ...others] = findFieldValues(observation, label, place);
  return held === undefined || others.length > 0 || isCutValue(held) ? null : held;
}
