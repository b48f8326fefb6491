import { expect } from "vitest";
import { newEmail, Visitor } from "./oauth-flow.ts";
import type { TestService } from "./service.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests inspect responses of any shape
type AnyBody = any;

/** A console user, with requests as a browser sends them. */
export interface ConsoleVisit {
  email: string;
  userId: string;
  /** The session cookie. */
  cookie: string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ConsoleAnswer>;
  get(path: string): Promise<ConsoleAnswer>;
  post(path: string, body?: unknown): Promise<ConsoleAnswer>;
}

export interface ConsoleAnswer {
  status: number;
  headers: Headers;
  body: AnyBody;
}

interface VisitOptions {
  email?: string;
  /** An owner of applications with this many credits. */
  credits?: number;
  /** The owner of the installation. */
  isOperator?: boolean;
}

/** Signs up over HTTP, as the pages do, and gets the roles in the options. */
export async function visitConsole(service: TestService, options: VisitOptions = {}): Promise<ConsoleVisit> {
  const email = options.email ?? newEmail();
  const cookie = await signUp(service.url, email);
  const [person] = await service.database.query<{ id: string }>("select id from users where email = $1", [email]);
  const userId = person?.id ?? "";
  if (options.isOperator === true) {
    await service.database.query(
      "update owners set user_id = $1 where id = (select id from owners order by id limit 1)",
      [userId],
    );
  } else if (options.credits !== undefined) {
    await service.database.query(
      `with made as (insert into owners (user_id, balance) values ($1, $2) returning id, balance)
       insert into credit_entries (owner_id, kind, credits) select id, 'grant', balance from made`,
      [userId, options.credits],
    );
  }
  const call: ConsoleVisit["call"] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${service.url}/console/api${path}`, {
      method,
      redirect: "manual",
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: {
        cookie,
        ...(method === "GET" ? {} : { "x-errand-console": "1" }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== "" ? JSON.parse(text) : text,
    };
  };
  return {
    email,
    userId,
    cookie,
    call,
    get: (path) => call("GET", path),
    post: (path, body) => call("POST", path, body),
  };
}

/** A public application of this owner. */
export async function registerInConsole(
  owner: ConsoleVisit,
  settings: object = {},
): Promise<{ id: string; name: string }> {
  const { status, body } = await owner.post("/applications", { type: "public", name: "Larder", ...settings });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.application;
}

async function signUp(url: string, email: string): Promise<string> {
  const visitor = new Visitor(url);
  await visitor.signUp(email);
  const [name, value] = [...visitor.cookies].find(([cookie]) => cookie.endsWith("errand.session_token")) ?? [];
  return `${name}=${value}`;
}
