import type { Page } from "playwright-core";
import { OPEN_SHADOW_ROOTS, RECORD_LISTENERS } from "../../src/browser/observation/in-page/init-scripts.ts";
import { type Observation, type ObservedNode, walk } from "../../src/browser/observation/observation.ts";
import { createPageObserver, type PageObserver } from "../../src/browser/observation/page-observer.ts";
import { type LoopbackServer, startLoopbackServer, startTestBrowser, type TestBrowser } from "./browser.ts";

/** A browser and a site with the pages of a test. */
export interface ObservedSite extends AsyncDisposable {
  readonly browser: TestBrowser;
  readonly site: LoopbackServer;
  /** Shows this HTML at its own URL. */
  show(html: string): Promise<ObservedPage>;
}

export interface ObservedPage extends AsyncDisposable {
  readonly page: Page;
  readonly observer: PageObserver;
  observe(): Promise<Observation>;
}

export async function startObservedSite(): Promise<ObservedSite> {
  const pages = new Map<string, string>();
  const browser = await startTestBrowser();
  const site = await startLoopbackServer((request, response) => {
    const html = pages.get(request.url ?? "") ?? "<title>Elsewhere</title><h1>Elsewhere</h1>";
    response.setHeader("content-type", "text/html; charset=utf-8").end(html);
  });
  return {
    browser,
    site,
    async show(html) {
      const path = `/page-${pages.size + 1}`;
      pages.set(path, `<!doctype html><html lang="en"><title>Page</title><body>${html}</body></html>`);
      const opened = await browser.openPage();
      await opened.page.context().addInitScript(OPEN_SHADOW_ROOTS);
      await opened.page.context().addInitScript(RECORD_LISTENERS);
      await opened.page.goto(site.url + path);
      return observePage(opened.page, opened[Symbol.asyncDispose]);
    },
    async [Symbol.asyncDispose]() {
      await browser[Symbol.asyncDispose]();
      await site[Symbol.asyncDispose]();
    },
  };
}

export function observePage(page: Page, dispose: () => PromiseLike<void>): ObservedPage {
  const observer = createPageObserver(page);
  let number = 0;
  return {
    page,
    observer,
    async observe() {
      const view = await observer.observe(AbortSignal.timeout(100_000));
      return { ...view, number: ++number, tabs: [], dialog: null };
    },
    [Symbol.asyncDispose]: dispose,
  };
}

export function nodesOf({ root }: Pick<Observation, "root">, role?: string): ObservedNode[] {
  return [...walk(root)].map(({ node }) => node).filter((node) => role === undefined || node.role === role);
}

/** The only node with this role and name. */
export function nodeOf(observation: Pick<Observation, "root">, role: string, name: string): ObservedNode {
  const found = nodesOf(observation, role).filter((node) => node.name === name);
  const [node] = found;
  if (node === undefined || found.length > 1) {
    const there = nodesOf(observation, role).map((one) => JSON.stringify(one.name));
    throw new Error(`${found.length} nodes are ${role} "${name}"; of that role there are ${there.join(", ")}`);
  }
  return node;
}

export function refOf(observation: Pick<Observation, "root">, role: string, name: string): string {
  const { ref } = nodeOf(observation, role, name);
  if (ref === null) throw new Error(`${role} "${name}" has no ref`);
  return ref;
}
