import { QueryClient } from "@tanstack/react-query";

const BASE = "/console/api";

/** A query in the address; what is undefined or empty is left out. */
type Query = Readonly<Record<string, string | number | undefined>>;

export async function get<Answer>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Answer> {
  return call<Answer>("GET", withQuery(path, query), undefined, signal);
}

export function post<Answer = void>(path: string, body?: unknown): Promise<Answer> {
  return call<Answer>("POST", path, body);
}

export function put<Answer = void>(path: string, body: unknown): Promise<Answer> {
  return call<Answer>("PUT", path, body);
}

export function patch<Answer>(path: string, body: unknown): Promise<Answer> {
  return call<Answer>("PATCH", path, body);
}

export function remove<Answer = void>(path: string, body?: unknown): Promise<Answer> {
  return call<Answer>("DELETE", path, body);
}

/** For pictures and event streams, which the browser asks for by itself. */
export function apiUrl(path: string): string {
  return `${BASE}${path}`;
}

async function call<Answer>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Answer> {
  const response = await send(method, path, body, signal);
  const text = await response.text();
  if (response.ok) return (text === "" ? undefined : JSON.parse(text)) as Answer;
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
    throw new ConsoleError(0, { code: "UNREACHABLE", message: "The service does not answer. Is it still running?" });
  }
}

function readError(text: string, status: number): { code: string; message: string } {
  try {
    return (JSON.parse(text) as { error: { code: string; message: string } }).error;
  } catch {
    return { code: "INTERNAL", message: `The service answered ${status} without saying why.` };
  }
}

function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const parameters = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}

/** What the service answered in place of what was asked for. */
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

const RETRIES = 2;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // The service may be on this very machine, whatever the browser thinks of the internet.
      networkMode: "always",
      // What the service has refused stays refused; only a service that is away may come back.
      retry: (failures, error) =>
        failures < RETRIES && (!(error instanceof ConsoleError) || error.status === 0 || error.status >= 500),
    },
    mutations: { networkMode: "always" },
  },
});
