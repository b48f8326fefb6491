import { describe, expect, test } from "vitest";
import { withEarlierStorage } from "../../../src/browser/session/earlier-storage.ts";
import { findStoredChanges } from "../../../src/browser/session/stored-changes.ts";
import type { BrowserState } from "../../../src/browser/state/browser-state.ts";

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

describe("the storage from before the run", () => {
  const OLD = { access: "aaaa1111aaaa1111aaaa", refresh: "bbbb2222bbbb2222bbbb", expires: 1_760_000_000 };
  const NEW = { access: "cccc3333cccc3333cccc", refresh: "dddd4444dddd4444dddd", expires: 1_760_003_600 };
  const [old, renewed] = [OLD, NEW].map((each) => JSON.stringify(each)) as [string, string];
  const localOf = ({ state }: ReturnType<typeof withEarlierStorage>) =>
    Object.fromEntries((state.storage.origins[0]?.localStorage ?? []).map(({ name, value }) => [name, value]));

  test("has the notes of then and the tokens of now", () => {
    const earlier = withEarlierStorage(
      stateOf({ auth: renewed, notes: "[1,2]" }, { token: NEW.access }),
      stateOf({ auth: old, notes: "[1]" }, { token: OLD.access }),
    );
    expect(localOf(earlier)).toEqual({ auth: renewed, notes: "[1]" });
    expect(earlier.state.sessionStorage).toEqual([{ origin: APP, entries: [["token", NEW.access]] }]);
    expect(earlier.hasOldToken).toBe(false);
  });

  test.each([
    ["is signed out now", {}, true],
    ["holds something else now", { auth: JSON.stringify({ ...NEW, user: "Ada" }) }, true],
    ["is as it was", { auth: old }, false],
  ])("has an old token if the sign-in %s", (_, now, hasOldToken) => {
    const earlier = withEarlierStorage(stateOf(now), stateOf({ auth: old }));
    expect(localOf(earlier)).toEqual({ auth: old });
    expect(earlier.hasOldToken).toBe(hasOldToken);
  });

  test.each([
    ["a note with an id", `[{"id":"${OLD.access}","text":"A"}]`, `[{"id":"${NEW.access}","text":"B"}]`],
    ["one more note", `[{"id":"${OLD.access}"}]`, `[{"id":"${OLD.access}"},{"id":"${NEW.access}"}]`],
    ["an encrypted list", OLD.access, NEW.access + NEW.refresh],
    ["what no sign-in is called", OLD.access, NEW.access],
  ])("has what it had of %s", (_, before, now) => {
    expect(localOf(withEarlierStorage(stateOf({ notes: now }), stateOf({ notes: before })))).toEqual({ notes: before });
  });

  test("was empty for the first run", () => {
    expect(withEarlierStorage(stateOf({ auth: renewed }), undefined)).toEqual({
      state: stateOf({}),
      hasOldToken: false,
    });
  });
});
