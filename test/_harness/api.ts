import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect } from "vitest";
import openApi from "../../docs/openapi.json" with { type: "json" };
import type { Artifact, Execution } from "../../src/contract/execution.ts";
import type { ExecutionEvent } from "../../src/contract/execution-event.ts";

export interface Answer<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

// biome-ignore lint/suspicious/noExplicitAny: tests inspect responses of any shape
type AnyBody = any;

/** The executions of one connection over real HTTP. Every response is checked against the OpenAPI document. */
export interface Api {
  create(body: unknown, headers?: Record<string, string>): Promise<Answer<AnyBody>>;
  /** Creates one and expects success. */
  created(body?: unknown, headers?: Record<string, string>): Promise<Execution>;
  get(id: string, query?: string, headers?: Record<string, string>): Promise<Answer<AnyBody>>;
  list(query?: string): Promise<Answer<AnyBody>>;
  /** The connection of the token. */
  connection(): Promise<Answer<AnyBody>>;
  cancel(id: string): Promise<Answer<AnyBody>>;
  /** A link to its live view. */
  live(id: string): Promise<Answer<AnyBody>>;
  /** What it asks a person. */
  interaction(id: string): Promise<Answer<AnyBody>>;
  answer(id: string, body: unknown): Promise<Answer<AnyBody>>;
  artifacts(id: string): Promise<Answer<{ artifacts: Artifact[] }>>;
  /** The content of one, or the error. */
  artifact(id: string, artifactId: string, headers?: Record<string, string>): Promise<Answer<Buffer>>;
  events(id: string, query?: string): Promise<Answer<{ events: ExecutionEvent[]; has_more: boolean }>>;
}

export function createApi(url: string, { applicationId, token }: { applicationId: string; token: string }): Api {
  const path = "/v1/applications/{applicationId}/executions";
  const base = `${url}/v1/applications/${applicationId}/executions`;

  async function call(
    method: string,
    template: string,
    address: string,
    init: RequestInit = {},
  ): Promise<Answer<AnyBody>> {
    const headers = { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) };
    const response = await fetch(address, { ...init, method, headers });
    const text = await response.text();
    const body = text === "" ? null : JSON.parse(text);
    expectContract(template, method, response.status, body);
    return { status: response.status, headers: response.headers, body };
  }

  const create: Api["create"] = (body, headers = {}) =>
    call("POST", path, base, {
      body: typeof body === "string" ? body : JSON.stringify(body),
      headers: { "content-type": "application/json", ...headers },
    });

  return {
    create,
    async created(body = { prompt: "Say hello." }, headers = {}) {
      const answer = await create(body, headers);
      expect(answer.status, JSON.stringify(answer.body)).toBe(201);
      return answer.body.execution;
    },
    get: (id, query = "", headers = {}) => call("GET", `${path}/{executionId}`, `${base}/${id}${query}`, { headers }),
    list: (query = "") => call("GET", path, base + query),
    connection: () => call("GET", "/v1/connection", `${url}/v1/connection`),
    cancel: (id) => call("POST", `${path}/{executionId}/cancel`, `${base}/${id}/cancel`),
    live: (id) => call("POST", `${path}/{executionId}/live`, `${base}/${id}/live`),
    interaction: (id) => call("GET", `${path}/{executionId}/interaction`, `${base}/${id}/interaction`),
    answer: (id, body) =>
      call("POST", `${path}/{executionId}/interaction`, `${base}/${id}/interaction`, {
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      }),
    artifacts: (id) => call("GET", `${path}/{executionId}/artifacts`, `${base}/${id}/artifacts`),
    async artifact(id, artifactId, more = {}) {
      const headers = { authorization: `Bearer ${token}`, ...more };
      const response = await fetch(`${base}/${id}/artifacts/${artifactId}`, { headers });
      const body = Buffer.from(await response.arrayBuffer());
      const isBytes = response.status === 200 || response.status === 304;
      const template = `${path}/{executionId}/artifacts/{artifactId}`;
      expectContract(template, "GET", response.status, isBytes ? null : JSON.parse(body.toString()));
      return { status: response.status, headers: response.headers, body };
    },
    events: (id, query = "") => call("GET", `${path}/{executionId}/events`, `${base}/${id}/events${query}`),
  };
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ ...openApi, $id: "openapi" });
/** By reference. Ajv knows a schema again only if it is the same object. */
const validators = new Map<string, ValidateFunction>();

/** Fails when a response does not match the OpenAPI document. */
export function expectContract(template: string, method: string, status: number, body: unknown): void {
  const pointer = ["paths", template, method.toLowerCase(), "responses", String(status)];
  const documented = pointer.reduce<AnyBody>((node, key) => node?.[key], openApi);
  expect(documented, `${method} ${template} answered ${status}, which is not documented`).toBeDefined();
  if (body === null) return;
  const reference = [...pointer, "content", "application/json", "schema"]
    .map((key) => encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1")))
    .join("/");
  const validate = validators.get(reference) ?? ajv.compile({ $ref: `openapi#/${reference}` });
  validators.set(reference, validate);
  expect(validate(body) ? [] : validate.errors).toEqual([]);
}
