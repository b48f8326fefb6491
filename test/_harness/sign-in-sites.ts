import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type LoopbackServer, startLoopbackServer } from "./browser.ts";

export const MEMBER = "Robin";
export const MEMBER_PASSWORD = "a canary of a password";

/** Where the name, the password and the button stand on every sign-in page here, in CSS pixels. */
export const NAME_AT = [60, 140] as const;

/** A site that knows its members by one means, and can forget them all. */
export interface MemberSite extends LoopbackServer {
  /** Everything that it has ever known somebody by. */
  issued: readonly string[];
  dropSessions(): void;
}

type Answer = (request: IncomingMessage, response: ServerResponse, url: URL) => void | Promise<void>;

const FORM = (attributes: string) => `<title>Sign in</title><h1>Sign in</h1><form ${attributes}>
<input name="name" aria-label="Name" style="position:absolute;left:20px;top:120px;width:200px;height:40px">
<input name="password" type="password" aria-label="Password" style="position:absolute;left:20px;top:180px;width:200px;height:40px">
<button style="position:absolute;left:20px;top:240px;width:200px;height:40px">Sign in</button></form>`;
const ACCOUNT = (name: string) => `<title>Account</title><h1>Hello, ${name}</h1><a href="/sign-out">Sign out</a>`;

/** Its members are known by what their own script keeps, in session storage or in a database of the browser. */
export async function startScriptSite(keeps: "session storage" | "a database"): Promise<MemberSite> {
  const sessions = new Tokens();
  const script = keeps === "a database" ? KEEP_IN_DATABASE : KEEP_IN_SESSION_STORAGE;
  const routes: Record<string, Answer> = {
    "GET /sign-in": (_request, response) =>
      send(
        response,
        `${FORM("")}<script type="module">${script}
document.forms[0].addEventListener("submit", async (event) => {
  event.preventDefault();
  const answer = await fetch("/token", { method: "POST", body: new URLSearchParams(new FormData(event.target)) });
  if (!answer.ok) return;
  await keep(await answer.text());
  location.assign("/account");
});</script>`,
      ),
    "POST /token": async (request, response) => {
      if (!isMember(await readForm(request))) return void response.writeHead(403).end();
      response.end(sessions.issue());
    },
    "GET /account": (_request, response) =>
      send(
        response,
        `<title>Account</title><main></main><script type="module">${script}
const token = await recall();
const answer = await fetch("/me", { headers: { "x-token": token ?? "" } });
if (!answer.ok) location.replace("/sign-in");
else document.querySelector("main").innerHTML = await answer.text();</script>`,
      ),
    "GET /me": (request, response) => {
      if (!sessions.live.has(String(request.headers["x-token"]))) return void response.writeHead(401).end();
      send(response, ACCOUNT(MEMBER));
    },
  };
  return serve(routes, sessions);
}

/** Members sign in at another origin and come back with a code that works once; a cookie knows them from then on. */
export async function startDelegatingSite(): Promise<MemberSite & { provider: LoopbackServer }> {
  const sessions = new Tokens();
  const codes = new Tokens();
  let siteUrl = "";
  const provider = await startLoopbackServer(
    dispatch({
      "GET /authorize": (_request, response) => send(response, FORM('method="post"')),
      "POST /authorize": async (request, response) => {
        if (!isMember(await readForm(request))) return void response.writeHead(403).end();
        redirect(response, `${siteUrl}/callback?code=${codes.issue()}`, {
          "set-cookie": "provider=known; HttpOnly",
        });
      },
    }),
    "127.0.0.1",
  );
  const site = await serve(
    {
      "GET /sign-in": (_request, response) => redirect(response, `${provider.url}/authorize`),
      "GET /callback": (_request, response, url) => {
        if (!codes.live.delete(url.searchParams.get("code") ?? "")) return void response.writeHead(400).end();
        redirect(response, "/account", { "set-cookie": `session=${sessions.issue()}; HttpOnly; Path=/` });
      },
      "GET /account": (request, response) => {
        const session = /session=(\w+)/.exec(request.headers.cookie ?? "")?.[1] ?? "";
        if (sessions.live.has(session)) send(response, ACCOUNT(MEMBER));
        else redirect(response, "/sign-in");
      },
    },
    sessions,
  );
  siteUrl = site.url;
  return {
    ...site,
    provider,
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}

const KEEP_IN_SESSION_STORAGE = `const keep = async (token) => sessionStorage.setItem("token", token);
const recall = async () => sessionStorage.getItem("token");`;

const KEEP_IN_DATABASE = `const open = () => new Promise((resolve, reject) => {
  const request = indexedDB.open("members", 1);
  request.onupgradeneeded = () => request.result.createObjectStore("tokens");
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
const run = async (mode, act) => {
  const database = await open();
  const request = act(database.transaction("tokens", mode).objectStore("tokens"));
  await new Promise((resolve) => { request.transaction.oncomplete = resolve; });
  database.close();
  return request.result;
};
const keep = (token) => run("readwrite", (store) => store.put(token, "token"));
const recall = () => run("readonly", (store) => store.get("token"));`;

async function serve(routes: Record<string, Answer>, sessions: Tokens): Promise<MemberSite> {
  const server = await startLoopbackServer(dispatch(routes));
  return { ...server, issued: sessions.issued, dropSessions: () => sessions.live.clear() };
}

function dispatch(routes: Record<string, Answer>) {
  return (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "/", "http://site.example");
    const answer = routes[`${request.method} ${url.pathname}`];
    if (answer === undefined) return void response.writeHead(404).end();
    return void answer(request, response, url);
  };
}

function send(response: ServerResponse, content: string): void {
  response.setHeader("content-type", "text/html; charset=utf-8").end(`<!doctype html>${content}`);
}

function redirect(response: ServerResponse, location: string, headers: Record<string, string> = {}): void {
  response.writeHead(303, { location, ...headers }).end();
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  return new URLSearchParams((await request.toArray()).join(""));
}

function isMember(form: URLSearchParams): boolean {
  return form.get("name") === MEMBER && form.get("password") === MEMBER_PASSWORD;
}

class Tokens {
  readonly live = new Set<string>();
  readonly issued: string[] = [];

  issue(): string {
    const token = randomBytes(16).toString("hex");
    this.live.add(token);
    this.issued.push(token);
    return token;
  }
}
