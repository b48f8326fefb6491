import type { BrowserState } from "../state/browser-state.ts";
import type { StoredChange } from "./browser-session.ts";

type Origin = BrowserState["storage"]["origins"][number] & {
  readonly indexedDB?: readonly { readonly name: string; readonly stores: readonly { readonly name: string }[] }[];
};

/** What of the storage of each origin is not as it was. */
export function findStoredChanges(before: BrowserState | undefined, now: BrowserState): StoredChange[] {
  return listOrigins(now).flatMap((origin): StoredChange[] => {
    const [was, is] = [entriesOf(origin, before), entriesOf(origin, now)];
    const keys = [...new Set([...was.keys(), ...is.keys()])].filter(
      (key) => was.get(key)?.value !== is.get(key)?.value,
    );
    const entries = keys.map((key) => ({
      name: (is.get(key) ?? was.get(key))?.name ?? "",
      before: was.get(key)?.value ?? null,
      now: is.get(key)?.value ?? null,
    }));
    return entries.length === 0 ? [] : [{ origin, entries }];
  });
}

function listOrigins({ storage, sessionStorage }: BrowserState): string[] {
  return [...new Set([...storage.origins, ...sessionStorage].map(({ origin }) => origin))];
}

interface Entry {
  readonly name: string;
  readonly value: string;
}

/** The keys of local and session storage and the stores of databases, with what they hold. The two storages may share a key. */
function entriesOf(origin: string, state: BrowserState | undefined): Map<string, Entry> {
  const stored: Origin | undefined = state?.storage.origins.find((each) => each.origin === origin);
  const session = state?.sessionStorage.find((each) => each.origin === origin)?.entries ?? [];
  return new Map<string, Entry>([
    ...(stored?.localStorage ?? []).map((entry) => [`local ${entry.name}`, entry] as const),
    ...session.map(([name, value]) => [`session ${name}`, { name, value }] as const),
    ...(stored?.indexedDB ?? []).flatMap((base) =>
      base.stores.map((store) => {
        const name = `${base.name}/${store.name}`;
        return [`database ${name}`, { name, value: JSON.stringify(store) }] as const;
      }),
    ),
  ]);
}
