import type { BrowserContext, Frame } from "playwright-core";
import type { SessionStorageOf } from "./browser-state.ts";

/**
 * Gives each origin its session storage back, once: a site that clears it to sign somebody out must find it empty when
 * it is opened again. Between its first document and our taking the script back there is a moment in which a second
 * document would still be given it.
 */
export async function seedSessionStorage(
  context: BrowserContext,
  stored: readonly SessionStorageOf[],
): Promise<AsyncDisposable> {
  const seeds = new Map<string, AsyncDisposable>();
  for (const each of stored) seeds.set(each.origin, await context.addInitScript(restore, each));

  async function takeBack(origin: string): Promise<void> {
    const seed = seeds.get(origin);
    seeds.delete(origin);
    if (seeds.size === 0) context.off("framenavigated", onNavigated);
    await seed?.[Symbol.asyncDispose]();
  }

  function onNavigated(frame: Frame): void {
    const origin = URL.parse(frame.url())?.origin ?? "";
    // It fails only when the context has gone, and then there is nothing to take back.
    takeBack(origin).catch(() => {});
  }

  if (seeds.size > 0) context.on("framenavigated", onNavigated);
  return {
    async [Symbol.asyncDispose]() {
      for (const origin of [...seeds.keys()]) await takeBack(origin);
    },
  };
}

/** Runs in every new document. What a tab has already (from who opened it) is not replaced. */
function restore({ origin, entries }: SessionStorageOf): void {
  if (location.origin !== origin) return;
  try {
    if (sessionStorage.length > 0) return;
    for (const [key, value] of entries) sessionStorage.setItem(key, value);
  } catch {
    // A frame in a sandbox has no storage.
  }
}
