import type { BrowserState } from "../state/browser-state.ts";
import type { StoredChange } from "./browser-session.ts";

type Origin = BrowserState["storage"]["origins"][number] & {
  readonly indexedDB?: readonly { readonly name: string; readonly stores: readonly { readonly name: string }[] }[];
};

/** What of the storage of each origin is not as it was. */
export function findStoredChanges(before: BrowserState | undefined, now: BrowserState): StoredChange[] {
  const earlier = new Map((before?.storage.origins ?? []).map((each) => [each.origin, entriesOf(each)]));
  return now.storage.origins.flatMap((each): StoredChange[] => {
    const [was, is] = [earlier.get(each.origin) ?? new Map<string, string>(), entriesOf(each)];
    const names = [...new Set([...was.keys(), ...is.keys()])].filter((name) => was.get(name) !== is.get(name));
    return names.length === 0 ? [] : [{ origin: each.origin, names }];
  });
}

/** The keys of local storage and the stores of databases, with what they hold. */
function entriesOf({ localStorage, indexedDB = [] }: Origin): Map<string, string> {
  const local = localStorage.map(({ name, value }) => [name, value] as const);
  const stores = indexedDB.flatMap(({ name, stores: all }) =>
    all.map((store) => [`${name}/${store.name}`, JSON.stringify(store)] as const),
  );
  return new Map([...local, ...stores]);
}

/** A state with the storage of another one. */
export function withStorageOf(state: BrowserState, other: BrowserState | undefined): BrowserState {
  const origins = other?.storage.origins ?? [];
  return { storage: { ...state.storage, origins }, sessionStorage: other?.sessionStorage ?? [] };
}
