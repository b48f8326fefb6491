import { createHash, randomBytes } from "node:crypto";
import { expect } from "vitest";
import type { Registration } from "../../src/applications/applications.ts";
import { PUBLIC, type TestService } from "./service.ts";

export const PASSWORD = "correct horse battery";
export const REDIRECT_URI = "http://127.0.0.1:4567/callback";

let people = 0;

export function newEmail(): string {
  return `visitor-${process.pid}-${++people}@example.com`;
}

export interface Client {
  id: string;
  /** Confidential ones only. */
  secret: string | null;
}

export async function registerClient(service: TestService, registration: Partial<Registration> = {}): Promise<Client> {
  const { application, clientSecret } = await service.operations.applications.register({ ...PUBLIC, ...registration });
  return { id: application.id, secret: clientSecret };
}

/** The parameters that have a value; a list is a repeated parameter. */
export type Fields = Record<string, string | string[] | undefined>;

export function encode(fields: Fields): URLSearchParams {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  return new URLSearchParams(pairs);
}

/** The path of a plain auth link, with these fields overridden. */
export function authorizePath(clientId: string, fields: Fields = {}): string {
  const query = encode({ response_type: "code", client_id: clientId, redirect_uri: REDIRECT_URI, ...fields });
  return `/v1/oauth/authorize?${query}`;
}

export interface Pkce {
  verifier: string;
  challenge: { code_challenge: string; code_challenge_method: string };
}

export function newPkce(): Pkce {
  const verifier = randomBytes(32).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  return { verifier, challenge: { code_challenge: challenge, code_challenge_method: "S256" } };
}

/** A form on the page, with its values. */
interface Form {
  action: string;
  fields: Record<string, string>;
}

export interface Visit {
  status: number;
  headers: Headers;
  text: string;
  /** The absolute URL of the redirect. */
  location: URL | null;
  form(action: string): Form;
}

/** A user on the real pages, with cookies and forms but without a browser. Redirects are returned, not followed. */
export class Visitor {
  readonly cookies = new Map<string, string>();
  readonly #base: string;
  readonly #headers: Record<string, string>;

  constructor(base: string, headers: Record<string, string> = {}) {
    this.#base = base;
    this.#headers = headers;
  }

  get(address: string): Promise<Visit> {
    return this.#fetch(address, { method: "GET" });
  }

  /** Submits the form with these fields filled in; undefined omits one. */
  submit({ action, fields }: Form, filledIn: Fields, headers: Record<string, string> = {}): Promise<Visit> {
    return this.#fetch(action, { method: "POST", body: encode({ ...fields, ...filledIn }), headers });
  }

  /** Creates an account and signs in. */
  async signUp(email = newEmail()): Promise<string> {
    for (const path of ["/sign-up", "/sign-in"]) {
      const page = await this.get(path);
      const answer = await this.submit(page.form(path), { email, password: PASSWORD });
      expect(answer.status, answer.text).toBe(303);
    }
    return email;
  }

  async #fetch(address: string, init: RequestInit): Promise<Visit> {
    const url = new URL(address, this.#base);
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...this.#headers, ...(cookie === "" ? {} : { cookie }), ...(init.headers as object) };
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    this.#keep(response.headers.getSetCookie());
    const text = await response.text();
    const location = response.headers.get("location");
    return {
      status: response.status,
      headers: response.headers,
      text,
      location: location === null ? null : new URL(location, url),
      form: (action) => findForm(text, action),
    };
  }

  #keep(setCookies: string[]): void {
    for (const line of setCookies) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/; *max-age=0/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}

/** A new, signed-in user. */
export async function newVisitor(service: TestService): Promise<Visitor> {
  const visitor = new Visitor(service.url);
  await visitor.signUp();
  return visitor;
}

/** Opens the auth link, consents, and returns the callback URL. */
export async function agree(visitor: Visitor, authorizeAddress: string): Promise<URL> {
  const consent = await visitor.get(authorizeAddress);
  expect(consent.status, consent.text).toBe(200);
  const { status, location, text } = await visitor.submit(consent.form("/v1/oauth/authorize"), { decision: "allow" });
  expect(status, text).toBe(303);
  if (location === null) throw new Error("the consent led nowhere");
  return location;
}

export async function obtainCode(visitor: Visitor, clientId: string, fields: Fields = {}): Promise<string> {
  const code = (await agree(visitor, authorizePath(clientId, fields))).searchParams.get("code");
  if (code === null) throw new Error("the consent gave no code");
  return code;
}

/** Sends a form and reads a JSON response, as for the token and revocation endpoints. */
export interface FormAnswer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect responses of any shape
  body: any;
}

export async function postForm(
  address: string,
  fields: Fields,
  headers: Record<string, string> = {},
): Promise<FormAnswer> {
  const response = await fetch(address, { method: "POST", body: encode(fields), headers });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

export function basic(id: string, secret: string): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}` };
}

function findForm(page: string, action: string): Form {
  for (const [, attributes = "", content = ""] of page.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)) {
    if (readAttribute(attributes, "action") !== action) continue;
    const inputs = [...content.matchAll(/<input([^>]*)>/g)]
      .map(([, input = ""]) => input)
      // An unchecked box is not sent.
      .filter((input) => readAttribute(input, "type") !== "checkbox")
      .map((input): [string, string] => [readAttribute(input, "name"), readAttribute(input, "value")]);
    return { action, fields: Object.fromEntries(inputs) };
  }
  throw new Error(`there is no form for ${action} in ${page}`);
}

const ENTITIES: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };

function readAttribute(tag: string, name: string): string {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? "";
  return value.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}
