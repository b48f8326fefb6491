import type { ActionReport } from "../../src/agent/actions/action.ts";
import type { FieldFacts, Observation, ObservedNode } from "../../src/browser/observation/observation.ts";
import type { NetworkRecord } from "../../src/browser/session/network-record.ts";

/** A node of a page, for what is about trees and not about browsers. */
export function node(role: string, name = "", more: Partial<ObservedNode> = {}): ObservedNode {
  return {
    role,
    name,
    label: null,
    ref: null,
    value: null,
    field: null,
    states: {},
    url: null,
    box: null,
    children: [],
    ...more,
  };
}

export function field(type: string, more: Partial<FieldFacts> = {}): FieldFacts {
  return { type, placeholder: null, key: null, autocomplete: null, isRequired: false, isSecret: false, ...more };
}

export function observation(url: string, children: ObservedNode[], more: Partial<Observation> = {}): Observation {
  return {
    number: 1,
    url,
    title: "",
    root: node("document", "", { children }),
    viewport: { width: 1_280, height: 800 },
    scroll: { y: 0, pageHeight: 800 },
    tabs: [],
    dialog: null,
    fingerprint: `${url} ${JSON.stringify(children)}`,
    ...more,
  };
}

export function request(more: Partial<NetworkRecord> = {}): NetworkRecord {
  return {
    number: 1,
    method: "POST",
    url: "https://shop.example/orders",
    resourceType: "fetch",
    isNavigation: false,
    isFirstParty: true,
    startedAt: new Date("2026-03-11T10:00:00Z"),
    status: 201,
    failure: null,
    blockedBy: null,
    isNamedAsRead: false,
    bodyHash: "a",
    sent: null,
    received: null,
    ...more,
  };
}

export function report(
  action: string,
  input: Record<string, unknown> = {},
  more: Partial<Omit<ActionReport, "events">> & { events?: Partial<ActionReport["events"]> } = {},
): ActionReport {
  const { events, ...rest } = more;
  return {
    call: { action, input },
    place: null,
    heldBack: null,
    failure: null,
    data: null,
    urlBefore: "about:blank",
    urlAfter: "about:blank",
    added: [],
    removed: [],
    unanswered: null,
    events: { requests: [], downloads: [], dialogs: [], openedTabs: [], refusedHosts: [], ...events },
    ...rest,
  };
}
