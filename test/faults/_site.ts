import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A shop on loopback that knows which execution each request belongs to, and can delay a response. */
export interface FaultSite extends AsyncDisposable {
  readonly host: string;
  /** The start URL of an execution with this key. */
  url(kind: ErrandKind, key: string): string;
  /** The number of orders for an execution. */
  countOrders(key: string): number;
  /** Holds the response to the next matching request. An order whose response is held has been placed all the same. */
  hold(wanted: WantedRequest): HeldRequest;
}

export type ErrandKind = "read" | "order";

interface WantedRequest {
  readonly key: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  /** Only after this many similar ones. */
  readonly after?: number;
}

interface HeldRequest extends Disposable {
  readonly arrived: Promise<void>;
  release(): void;
}

export const PROMPTS: Record<ErrandKind, string> = {
  read: "What is the price of the kettle?",
  order: "Type Ada Example into Name and click Order.",
};

interface Hold {
  readonly wanted: WantedRequest;
  toPass: number;
  readonly arrive: () => void;
  readonly released: Promise<void>;
}

export async function startFaultSite(): Promise<FaultSite> {
  const orders = new Map<string, number>();
  const holds = new Set<Hold>();

  async function untilReleased(method: string, path: string, key: string): Promise<void> {
    for (const hold of holds) {
      const { wanted } = hold;
      if (wanted.key !== key || wanted.method !== method || wanted.path !== path) continue;
      if (hold.toPass-- > 0) continue;
      holds.delete(hold);
      hold.arrive();
      await hold.released;
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "/" } = request;
    const { pathname, searchParams } = new URL(url, "http://site.invalid");
    const key = searchParams.get("key") ?? "";
    if (method === "POST" && pathname === "/orders") orders.set(key, (orders.get(key) ?? 0) + 1);
    await untilReleased(method, pathname, key);
    if (method === "POST") {
      response.writeHead(303, { location: `/done?key=${key}` }).end();
      return;
    }
    const page = PAGES[pathname]?.(key);
    response.setHeader("content-type", "text/html; charset=utf-8").setHeader("cache-control", "no-store");
    response.writeHead(page === undefined ? 404 : 200).end(page ?? "<title>Nothing</title><h1>Nothing here</h1>");
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: (kind, key) => `http://${host}/${kind}?key=${key}`,
    countOrders: (key) => orders.get(key) ?? 0,
    hold(wanted) {
      const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      const hold: Hold = { wanted, toPass: wanted.after ?? 0, arrive, released };
      holds.add(hold);
      return {
        arrived,
        release,
        [Symbol.dispose]() {
          holds.delete(hold);
          release();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      await promise;
    },
  };
}

const PAGES: Record<string, ((key: string) => string) | undefined> = {
  "/read": () => layOut("Shop", "<h1>Shop</h1><p>Kettle: €12.50</p>"),
  "/order": (key) =>
    layOut(
      "Order",
      `<h1>Order</h1><form method="post" action="/orders?key=${key}"><label>Name <input name="name"></label>
       <p>Total: €12.50</p><button>Order</button></form>`,
    ),
  "/done": () => layOut("Thank you", "<h1>Thank you</h1><p>Your order has been received.</p>"),
};

function layOut(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><title>${title}</title><link rel="icon" href="data:,"></head><body>${body}</body></html>`;
}
