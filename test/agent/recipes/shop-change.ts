import type { DemoShop } from "../../../demo/shop.ts";
import type { PassingRequest, SiteChange } from "../../_harness/changed-site.ts";

/** How the shop differs from the one that the recipe was learned on. */
export interface ShopChange {
  readonly name: string;
  /** The product that is asked for now. */
  readonly product?: string;
  readonly change?: (shop: DemoShop) => SiteChange;
  /** What is different about the user's account, or about the server. */
  readonly prepare?: (shop: DemoShop) => void;
  /** What must come of it, without a model and with one. Null: that depends on how busy the machine is, but it is honest. */
  readonly ends: readonly [without: End, withModel: End] | null;
}

/** replayed and healed: verified, and the shop has just the order that was asked for. failed: honestly. */
export type End = "replayed" | "healed" | "failed";

export const REPLAYED = ["replayed", "replayed"] as const;
export const HEALED = ["failed", "healed"] as const;
export const FAILED = ["failed", "failed"] as const;

/** Replaces a text on all pages, or on those whose path matches. */
export function replace(from: string | RegExp, to: string, path = /./): () => SiteChange {
  const pattern = typeof from === "string" ? from : new RegExp(from.source, `${from.flags}g`);
  return () => ({ html: (html, request) => (path.test(request.path) ? html.replaceAll(pattern, to) : html) });
}

export function isPost({ method, path }: PassingRequest, wanted: string): boolean {
  return method === "POST" && path === wanted;
}

/** The shop is given another value than the browser has sent. */
export function rewriting(path: string, name: string, rewrite: (value: string) => string): () => SiteChange {
  return () => ({
    send(request) {
      if (!isPost(request, path)) return {};
      const form = new URLSearchParams(request.body);
      form.set(name, rewrite(form.get(name) ?? ""));
      return { body: form.toString() };
    },
  });
}

export function responding(path: string, status: number, body: string, location?: string): () => SiteChange {
  return () => ({
    respond: (request) =>
      isPost(request, path) ? { status, body, ...(location === undefined ? {} : { location }) } : null,
  });
}

export const page = (body: string) => `<!doctype html><html lang="en"><title>Shop</title><main>${body}</main></html>`;
export const atEnd = (html: string, path = /./) => replace("</body>", `${html}</body>`, path);
