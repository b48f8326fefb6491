import type { ActionCall } from "../../src/agent/actions/action.ts";
import { CapturedPages, capturePage } from "../../src/agent/grounding/captured-pages.ts";
import type { Case, FreshPage } from "../../src/agent/verifier/case.ts";
import { type ObservedNode, walk } from "../../src/browser/observation/observation.ts";
import type { QuarantinedDownload, SessionEvents } from "../../src/browser/session/browser-session.ts";
import type { NetworkRecord } from "../../src/browser/session/network-record.ts";
import { readBody } from "../../src/browser/session/sent-body.ts";
import { toStep } from "./doubtful-case.ts";
import { field, node, observation, request } from "./observed.ts";

export const SITE = "https://shop.example";
export const START = Date.parse("2026-03-11T10:00:00Z");

export const text = (words: string) => node("paragraph", "", { children: [node("text", words)] });
export const title = (words: string) => node("heading", words, { states: { level: 1 } });
export const button = (name: string) => node("button", name, { ref: name });
export const link = (name: string, path: string) => node("link", name, { ref: name, url: SITE + path });
export const box = (label: string, value = "", more = {}) =>
  node("textbox", label, { ref: label, field: field("text", more), value });
export const area = (role: string, ...children: ObservedNode[]) => node(role, "", { children });
export const items = (...texts: string[]) =>
  area("list", ...texts.map((words) => area("listitem", node("text", words))));

export interface Page {
  path: string;
  children: ObservedNode[];
}
export const page = (path: string, ...children: ObservedNode[]): Page => ({ path, children });

export interface Deed {
  call: ActionCall;
  /** The page it is done on, counted from 0. */
  on: number;
  /** What it sends, if anything. */
  sends?: Partial<NetworkRecord>;
}
export const click = (label: string, on: number, sends?: Deed["sends"], ref = label): Deed => ({
  call: { action: "click", input: { label, ref } },
  on,
  ...(sends === undefined ? {} : { sends }),
});
export const fill = (label: string, value: string, on: number): Deed => ({
  call: { action: "fill", input: { label, text: value } },
  on,
});
export const FETCH: Partial<NetworkRecord> = { url: `${SITE}/api/x`, status: 200 };
export const FORM: Partial<NetworkRecord> = {
  url: `${SITE}/x`,
  status: 303,
  isNavigation: true,
  resourceType: "document",
};
export const form = (body: string): Partial<NetworkRecord> => ({
  ...FORM,
  sent: readBody(body, "application/x-www-form-urlencoded"),
});

export interface Run {
  prompt: string;
  /** What the run saw, in order. */
  pages: Page[];
  deeds: Deed[];
  /** By default, the last page as the run saw it. */
  fresh?: (Page & Partial<FreshPage>)[];
  dialogs?: { kind: "alert" | "confirm"; message: string }[];
  downloads?: string[];
  requests?: Partial<NetworkRecord>[];
}

export function toCase({ prompt, pages, deeds, fresh, dialogs = [], downloads = [], requests = [] }: Run): Case {
  const captured = new CapturedPages();
  const seen = pages.map(({ path, children }, index) => observation(SITE + path, children, { number: index + 1 }));
  for (const each of seen) captured.add(each);
  const live = seen.at(-1) ?? observation(SITE, []);
  const at = (step: number) => new Date(START + step * 1_000);
  const steps = deeds.map(({ call, on, sends }, index) => {
    const shown = seen[on] ?? live;
    const position = [...walk(shown.root)].findIndex(
      (visit) => visit.node.ref === (call.input["ref"] ?? call.input["label"]),
    );
    const after = sends === undefined ? null : (seen[on + 1]?.root ?? null);
    const target = { observationNumber: shown.number, position: position < 0 ? null : position };
    return toStep({ call, url: shown.url, seen: target, at: at(index + 1), after }, index + 1);
  });
  const writes = deeds.flatMap(({ sends }, index) =>
    sends === undefined
      ? []
      : [{ write: request({ number: index + 1, startedAt: at(index + 1), ...sends }), cause: steps[index] ?? null }],
  );
  const events: Pick<SessionEvents, "requests" | "downloads" | "dialogs"> = {
    requests: [...writes.map(({ write }) => write), ...requests.map((each) => request({ method: "GET", ...each }))],
    downloads: downloads.map(
      (url): QuarantinedDownload => ({ url, name: "a.pdf", path: "/x", bytes: 3, refusal: null }),
    ),
    dialogs: dialogs.map((dialog) => ({ dialog: { ...dialog, defaultText: "" }, answer: "accepted" })),
  };
  const last = pages.at(-1);
  const freshPages = (fresh ?? (last === undefined ? [] : [last])).map(({ path, children, ...more }): FreshPage => {
    const again = observation(SITE + path, children, { number: 1_000 });
    return { url: SITE + path, page: capturePage(again), observation: again, note: null, ...more };
  });
  const task = { prompt, startUrl: SITE, outputSchema: null, now: at(0) };
  const claim = { answer: "", facts: [], conditions: [], extraction: null };
  return { task, claim, live, captured, freshPages, steps, writes, events };
}
