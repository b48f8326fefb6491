import { setTimeout as sleep } from "node:timers/promises";
import { type ErrandKind, type FaultSite, PROMPTS } from "./_site.ts";

/** A connected user: executions are created with their token. */
export interface Seat {
  readonly applicationId: string;
  readonly connectionId: string;
  readonly token: string;
}

export interface Accepted {
  readonly key: string;
  readonly kind: ErrandKind;
  readonly id: string;
}

/** Applications that create executions and retry until they get a response, as documented. */
export interface Clients {
  create(order: { seat: Seat; kind: ErrandKind; key: string }): Promise<Accepted>;
  /** One attempt: the id, or null when there was no response, or one that says to retry. */
  tryCreate(order: { seat: Seat; kind: ErrandKind; key: string }): Promise<string | null>;
  /** Everything that was acknowledged with 201, or 200 for a replay, by its key. */
  readonly accepted: ReadonlyMap<string, Accepted>;
  /** Broken guarantees, as text. */
  readonly complaints: readonly string[];
}

const PATIENCE_MS = 60_000;
const RETRY_MS = 150;
const ANSWER_TIMEOUT_MS = 20_000;

export function createClients({ apiUrl, site }: { apiUrl(): string; site: FaultSite }): Clients {
  const accepted = new Map<string, Accepted>();
  const complaints: string[] = [];

  const tryCreate: Clients["tryCreate"] = async ({ seat, kind, key }) => {
    const answer = await post(`${apiUrl()}/v1/applications/${seat.applicationId}/executions`, {
      headers: { authorization: `Bearer ${seat.token}`, "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify({ prompt: PROMPTS[kind], start_url: site.url(kind, key) }),
    });
    if (answer === null || (answer.status === 503 && answer.retryAfter !== null)) return null;
    if (answer.status !== 200 && answer.status !== 201) {
      complaints.push(`a create with the key ${key} was answered ${answer.status}: ${answer.text.slice(0, 300)}`);
      return null;
    }
    const { id } = (JSON.parse(answer.text) as { execution: { id: string } }).execution;
    const before = accepted.get(key);
    if (before !== undefined && before.id !== id) complaints.push(`the key ${key} has both ${before.id} and ${id}`);
    accepted.set(key, { key, kind, id });
    return id;
  };

  return {
    accepted,
    complaints,
    tryCreate,
    async create(order) {
      const deadline = performance.now() + PATIENCE_MS;
      while (performance.now() < deadline) {
        const id = await tryCreate(order);
        if (id !== null) return { key: order.key, kind: order.kind, id };
        await sleep(RETRY_MS);
      }
      throw new Error(`no answer to a create with the key ${order.key} in ${PATIENCE_MS} ms`);
    },
  };
}

interface Posted {
  status: number;
  retryAfter: string | null;
  text: string;
}

/** Null: there was no complete response. */
async function post(url: string, init: { headers: Record<string, string>; body: string }): Promise<Posted | null> {
  try {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    const response = await fetch(url, { ...init, method: "POST", signal });
    return { status: response.status, retryAfter: response.headers.get("retry-after"), text: await response.text() };
  } catch {
    return null;
  }
}
