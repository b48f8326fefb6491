import { QueryClient } from "@tanstack/react-query";

const BASE = "/console/api";

/** URL query parameters; undefined and empty values are left out. */
type Query = Readonly<Record<string, string | number | undefined>>;

export async function get<Body>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Body> {
  return call<Body>("GET", withQuery(path, query), undefined, signal);
}

export function post<Body = void>(path: string, body?: unknown): Promise<Body> {
  return call<Body>("POST", path, body);
}

export function put<Body = void>(path: string, body: unknown): Promise<Body> {
  return call<Body>("PUT", path, body);
}

export function patch<Body>(path: string, body: unknown): Promise<Body> {
  return call<Body>("PATCH", path, body);
}

export function remove<Body = void>(path: string, body?: unknown): Promise<Body> {
  return call<Body>("DELETE", path, body);
}

/** The URL of an API path, for images and event streams, which the browser requests itself. */
export function apiUrl(path: string): string {
  return `${BASE}${path}`;
}

async function call<Body>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Body> {
  const response = await send(method, path, body, signal);
  const text = await response.text();
  if (response.ok) return (text === "" ? undefined : JSON.parse(text)) as Body;
  throw new ConsoleError(response.status, readError(text, response.status));
}

async function send(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  try {
    return await fetch(apiUrl(path), {
      method,
      ...(signal === undefined ? {} : { signal }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: {
        accept: "application/json",
        "x-errand-console": "1",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ConsoleError(0, {
      code: "UNREACHABLE",
      message: "Can't reach Errand. Check that the service is running.",
    });
  }
}

function readError(text: string, status: number): { code: string; message: string } {
  try {
    return (JSON.parse(text) as { error: { code: string; message: string } }).error;
  } catch {
    return {
      code: "INTERNAL",
      message: `The service responded with status ${status} and no details. Try again, or check the service log.`,
    };
  }
}

function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const parameters = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}

/** An error response of the console API. Status 0: the service could not be reached. */
export class ConsoleError extends Error {
  override readonly name = "ConsoleError";
  readonly status: number;
  readonly code: string;
  readonly details: readonly { path: string; message: string }[];

  constructor(
    status: number,
    { code, message, details = [] }: { code: string; message: string; details?: { path: string; message: string }[] },
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** From a proxy in front of the service, or from the service while its database is away. */
const OUTAGE_STATUSES: readonly number[] = [0, 502, 503, 504];

/** Whether the service is unreachable for now. It may come back by itself. */
export function isOutage(error: unknown): boolean {
  return error instanceof ConsoleError && OUTAGE_STATUSES.includes(error.status);
}

const RETRIES = 2;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // The service may run on this machine: requests work even when the browser reports being offline.
      networkMode: "always",
      // A rejected request stays rejected. Only an unreachable or failing service may recover.
      retry: (failures, error) =>
        failures < RETRIES && (!(error instanceof ConsoleError) || error.status === 0 || error.status >= 500),
    },
    mutations: { networkMode: "always" },
  },
});
