import type { IncomingMessage, ServerResponse } from "node:http";
import type { ActionReport } from "../../src/agent/actions/action.ts";
import { performCalls } from "../../src/agent/actions/perform-calls.ts";
import { TaskSecrets } from "../../src/agent/task-secrets.ts";
import {
  labelOf,
  type Observation,
  type ObservedNode,
  textOf,
  walk,
} from "../../src/browser/observation/observation.ts";
import type { BrowserPool } from "../../src/browser/pool/browser-pool.ts";
import type { BrowserSession } from "../../src/browser/session/browser-session.ts";
import type { SessionOptions } from "../../src/browser/session/session-options.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { type LoopbackServer, startLoopbackServer } from "./browser.ts";
import { openSharedPool } from "./shared-browsers.ts";

/** A request that the site received. */
export interface Arrival {
  method: string;
  path: string;
  body: string;
}

export interface ActionSite extends LoopbackServer {
  /** Pages by path; the query is ignored. Each test sets its own. */
  pages: Map<string, string>;
  /** Responds instead of a page. Returns false to leave the request to the pages. */
  respond: (arrival: Arrival, response: ServerResponse) => boolean;
  arrivals: Arrival[];
}

async function startActionSite(): Promise<ActionSite> {
  const pages = new Map<string, string>();
  const arrivals: Arrival[] = [];
  const server = await startLoopbackServer((request, response) => void answer(request, response));
  const site: ActionSite = { ...server, pages, arrivals, respond: () => false };
  return site;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const { pathname: path } = new URL(request.url ?? "/", server.url);
    const arrival = { method: request.method ?? "", path, body };
    if (path !== "/favicon.ico") arrivals.push(arrival);
    if (site.respond(arrival, response)) return;
    const page = pages.get(path);
    response.statusCode = page === undefined ? 404 : 200;
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(page === undefined ? "nothing here" : `<!doctype html><title>${path}</title>${page}`);
  }
}

/** Chromium and a site, for one test file. */
export interface ActionWorld extends AsyncDisposable {
  site: ActionSite;
  /** Shows this page. Pages without their own options share a session, one after the other. */
  open(html: string, options?: Partial<SessionOptions>): Promise<ActionPage>;
}

export async function startActionWorld(): Promise<ActionWorld> {
  const pool = await openSharedPool();
  const site = await startActionSite();
  let shared: BrowserSession | null = null;
  return {
    site,
    async open(html, options) {
      if (options !== undefined) return openActionPage(await openSession(pool, site, options), site, html);
      shared ??= await openSession(pool, site, {});
      return openActionPage(shared, site, html);
    },
    async [Symbol.asyncDispose]() {
      await shared?.[Symbol.asyncDispose]();
      await pool[Symbol.asyncDispose]();
      await site[Symbol.asyncDispose]();
    },
  };
}

function openSession(pool: BrowserPool, site: ActionSite, options: Partial<SessionOptions>): Promise<BrowserSession> {
  const host = `127.0.0.1:${site.port}`;
  return pool.openSession(
    {
      allowedHosts: [host],
      privateHosts: [host],
      access: "all",
      downloads: { maxFiles: 2, maxBytes: 100_000 },
      clock: systemClock,
      ...options,
    },
    AbortSignal.timeout(100_000),
  );
}

/** A name, or a name and a role where several elements have the same name. */
type Named = string | { role: string; name: string };

/** A browser on a page, with a planner's actions. */
export interface ActionPage {
  session: BrowserSession;
  /** The newest observation. */
  observation: Observation;
  /** Performs one action, on the element with this name if one is given. */
  act(action: string, name: Named | null, more?: Record<string, unknown>): Promise<ActionReport>;
  /** Several calls at once. */
  perform(calls: readonly { action: string; input: Record<string, unknown> }[]): Promise<ActionReport[]>;
  /** The target with this name. */
  find(name: Named): ObservedNode & { ref: string };
  /** All readable text, including the values of fields. */
  text(): string;
}

async function openActionPage(session: BrowserSession, site: ActionSite, html: string): Promise<ActionPage> {
  site.pages.set("/", html);
  site.arrivals.length = 0;
  await session.goto(`${site.url}/`, AbortSignal.timeout(100_000));
  return driveSession(session);
}

/** The actions of a planner on the page that this session shows. */
export async function driveSession(session: BrowserSession): Promise<ActionPage> {
  const signal = AbortSignal.timeout(170_000);
  const page: ActionPage = {
    session,
    observation: await session.observe(signal),
    async act(action, name, more = {}) {
      const target = name === null ? null : page.find(name);
      const element = target === null ? {} : { ref: target.ref, label: labelOf(target) };
      const [report] = await page.perform([{ action, input: { ...element, ...more } }]);
      if (report === undefined) throw new Error("nothing was done");
      return report;
    },
    async perform(calls) {
      const { reports, observation } = await performCalls(calls, {
        session,
        observation: page.observation,
        secrets: new TaskSecrets(""),
        signal,
      });
      page.observation = observation;
      return reports;
    },
    find(named) {
      const { role, name } = typeof named === "string" ? { role: null, name: named } : named;
      const isMeant = (each: ObservedNode) =>
        each.ref !== null && labelOf(each) === name && (role ?? each.role) === each.role;
      const nodes = [...walk(page.observation.root)].map(({ node }) => node);
      // A button and what is around it may have the same name: the button is meant.
      const node = nodes.find(
        (each) => isMeant(each) && [...walk(each)].filter(({ node: inner }) => isMeant(inner)).length === 1,
      );
      if (node === undefined || node.ref === null)
        throw new Error(`there is no ${role ?? ""} "${name}": ${page.text()}`);
      return { ...node, ref: node.ref };
    },
    text() {
      const values = [...walk(page.observation.root)].flatMap(({ node }) => (node.value === null ? [] : [node.value]));
      return [textOf(page.observation.root), ...values].join(" ");
    },
  };
  return page;
}
