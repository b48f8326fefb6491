import { describe, expect, test } from "vitest";
import { findStoredChanges } from "../../src/browser/session/stored-changes.ts";
import type { BrowserState } from "../../src/browser/state/browser-state.ts";

const APP = "https://app.example";

function stateOf(local: Record<string, string>, session: Record<string, string> = {}): BrowserState {
  const localStorage = Object.entries(local).map(([name, value]) => ({ name, value }));
  return {
    storage: { cookies: [], origins: localStorage.length === 0 ? [] : [{ origin: APP, localStorage }] },
    sessionStorage: Object.keys(session).length === 0 ? [] : [{ origin: APP, entries: Object.entries(session) }],
  };
}

describe("what has changed in the storage", () => {
  test("is said of local and session storage, which may share a key", () => {
    const before = stateOf({ notes: "[1]", theme: "dark" }, { draft: "a" });
    const now = stateOf({ notes: "[1,2]", theme: "dark" }, { draft: "a", notes: "[3]" });
    expect(findStoredChanges(before, now)).toEqual([
      {
        origin: APP,
        entries: [
          { name: "notes", before: "[1]", now: "[1,2]" },
          { name: "notes", before: null, now: "[3]" },
        ],
      },
    ]);
    expect(findStoredChanges(before, before)).toEqual([]);
  });

  test("is said of an origin that has only session storage", () => {
    const changed = [{ origin: APP, entries: [{ name: "notes", before: null, now: "[3]" }] }];
    expect(findStoredChanges(undefined, stateOf({}, { notes: "[3]" }))).toEqual(changed);
  });
});
