/** A browser has six connections to a host that speaks HTTP/1.1, for all its tabs together; a stream keeps one. */
const SLOTS = ["errand-stream-1", "errand-stream-2", "errand-stream-3"];

/** Opens what keeps a connection if a slot is free, else nothing. What it answers closes it and frees the slot. */
export function openInSlot(open: () => () => void): () => void {
  // Only secure origins have locks; elsewhere, that hidden tabs close theirs has to do.
  if (navigator.locks === undefined) return open();
  const end = new AbortController();
  void holdFreeSlot(() => stayOpen(open, end.signal));
  return () => end.abort();
}

async function holdFreeSlot(use: () => Promise<void>): Promise<void> {
  for (const slot of SLOTS) {
    const wasFree = await navigator.locks.request(slot, { ifAvailable: true }, async (lock) => {
      if (lock !== null) await use();
      return lock !== null;
    });
    if (wasFree) return;
  }
}

async function stayOpen(open: () => () => void, end: AbortSignal): Promise<void> {
  if (end.aborted) return;
  const close = open();
  await new Promise<void>((resolve) => {
    end.addEventListener("abort", () => {
      close();
      resolve();
    });
  });
}
