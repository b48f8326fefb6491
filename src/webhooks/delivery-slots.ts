/** Limits concurrent deliveries of this process, so that slow receivers and busy applications leave room for others. */
export interface DeliverySlots {
  /** Null when there is no free slot for it. */
  take(webhook: SlotHolder): Disposable | null;
  /** Webhooks without a free slot. Not complete: an unlisted one may still be refused. */
  listFull(): string[];
  /** A webhook that was slow or did not respond gets a single slot, from a smaller share, until it responds quickly. */
  recordSpeed(webhookId: string, wasSlow: boolean): void;
}

interface SlotHolder {
  readonly webhookId: string;
  readonly applicationId: string;
}

const PER_WEBHOOK = 2;
/** Shares of all slots: neither one application nor all slow receivers together can take them all. */
const SHARE_OF_APPLICATION = 1 / 3;
const SHARE_OF_SLOW = 1 / 2;
/** Beyond this, the recorded webhooks are cleared and collected again. */
const MAX_KNOWN = 10_000;
/** Every skipped job is compared with the whole list. */
const MAX_LISTED = 200;

export function createDeliverySlots(total: number): DeliverySlots {
  const inUse = new Set<SlotHolder>();
  const slow = new Set<string>();
  /** The application of each webhook seen so far. */
  const owners = new Map<string, string>();
  const perApplication = Math.max(1, Math.floor(total * SHARE_OF_APPLICATION));
  const perSlow = Math.max(1, Math.floor(total * SHARE_OF_SLOW));

  const count = (is: (holder: SlotHolder) => boolean) => [...inUse].filter(is).length;
  const isSlowFull = () => count(({ webhookId }) => slow.has(webhookId)) >= perSlow;
  const isApplicationFull = (id: string) => count(({ applicationId }) => applicationId === id) >= perApplication;
  const isWebhookFull = (id: string) => count(({ webhookId }) => webhookId === id) >= (slow.has(id) ? 1 : PER_WEBHOOK);

  function listSlowWithoutSlot(): string[] {
    return isSlowFull() ? [...slow].slice(-MAX_LISTED) : [];
  }

  function listWebhooksOfFullApplications(): string[] {
    const full = new Set([...inUse].map(({ applicationId }) => applicationId).filter(isApplicationFull));
    if (full.size === 0) return [];
    return [...owners].filter(([, applicationId]) => full.has(applicationId)).map(([webhookId]) => webhookId);
  }

  return {
    take({ webhookId, applicationId }) {
      if (owners.size >= MAX_KNOWN) owners.clear();
      owners.set(webhookId, applicationId);
      const isFree =
        !isWebhookFull(webhookId) && !isApplicationFull(applicationId) && !(slow.has(webhookId) && isSlowFull());
      if (!isFree) return null;
      const holder = { webhookId, applicationId };
      inUse.add(holder);
      return { [Symbol.dispose]: () => void inUse.delete(holder) };
    },

    listFull() {
      const full = [...inUse].map(({ webhookId }) => webhookId).filter(isWebhookFull);
      return [...new Set([...full, ...listWebhooksOfFullApplications(), ...listSlowWithoutSlot()])];
    },

    recordSpeed(webhookId, wasSlow) {
      slow.delete(webhookId);
      if (wasSlow) slow.add(webhookId);
      if (slow.size > MAX_KNOWN) slow.clear();
    },
  };
}
