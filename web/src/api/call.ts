import { ConsoleError } from "./console-error.ts";

const BASE = "/console/api";

/** A query in the address; what is undefined or empty is left out. */
export type Query = Readonly<Record<string, string | number | undefined>>;

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
export function addressOf(path: string): string {
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
    return await fetch(addressOf(path), {
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
