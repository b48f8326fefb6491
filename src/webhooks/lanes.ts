/** How many messages go to each webhook at a time, in this process, so that slow ones leave room for the others. */
export interface Lanes {
  /** Null when it is full. */
  enter(webhookId: string): Disposable | null;
  /** Those that cannot be entered now. */
  listFull(): string[];
  /** One that gave no answer has a single lane until it answers. */
  remember(webhookId: string, hasAnswered: boolean): void;
}

const LANES = 2;
/** Beyond this, which ones are silent is forgotten and learned anew. */
const MAX_SILENT = 10_000;

export function createLanes(): Lanes {
  const underWay = new Map<string, number>();
  const silent = new Set<string>();
  const isFull = (webhookId: string) => (underWay.get(webhookId) ?? 0) >= (silent.has(webhookId) ? 1 : LANES);

  return {
    enter(webhookId) {
      if (isFull(webhookId)) return null;
      underWay.set(webhookId, (underWay.get(webhookId) ?? 0) + 1);
      return {
        [Symbol.dispose]() {
          const left = (underWay.get(webhookId) ?? 1) - 1;
          if (left === 0) underWay.delete(webhookId);
          else underWay.set(webhookId, left);
        },
      };
    },
    listFull: () => [...underWay.keys()].filter(isFull),
    remember(webhookId, hasAnswered) {
      if (hasAnswered) silent.delete(webhookId);
      else silent.add(webhookId);
      if (silent.size > MAX_SILENT) silent.clear();
    },
  };
}
