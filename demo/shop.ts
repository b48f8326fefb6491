import type { AddressInfo } from "node:net";
import { type Clock, systemClock } from "../src/lib/clock.ts";
import type { Account } from "./people/accounts.ts";
import { createSite } from "./site/app.ts";
import type { Failure } from "./site/faults.ts";
import type { ReceivedRequest } from "./site/request-log.ts";
import { type ContactMessage, type Mail, openShop } from "./site/state.ts";
import type { Order } from "./trade/orders.ts";

export interface DemoShopOptions {
  /** Default: loopback only. */
  host?: string;
  /** Default: any free port. */
  port?: number;
  clock?: Clock;
  /** Receives one-time codes and confirmations, because the shop cannot send email. */
  onMail?: (mail: Mail) => void;
}

/** A running shop with hooks for tests. None of the hooks is available over HTTP. */
export interface DemoShop extends AsyncDisposable {
  url: string;
  /** All orders, oldest first, including the earlier ones of the demo accounts. */
  orders(): readonly Order[];
  /** The latest requests, oldest first. */
  requests(): readonly ReceivedRequest[];
  /** Messages from the contact form. */
  messages(): readonly ContactMessage[];
  /** The current state of an account: name, newsletter, addresses, cart. */
  account(email: string): Readonly<Account> | null;
  /** Signs everyone out and drops the carts of guests, like a server restart. */
  dropSessions(): void;
  /** Makes the next request for a path fail without any effect. Optionally its page claims success. */
  failNext(failure: Failure): void;
  /** The minimum duration of every page. */
  setLatency(milliseconds: number): void;
  /** Every response replaces the session cookie, and the previous one expires when the new one is used. */
  setRollingSessions(on: boolean): void;
  /** Whether an account has to enter a one-time code when it signs in. */
  setOneTimeCode(email: string, on: boolean): void;
  /** The last code sent, if it has not been used. */
  oneTimeCode(email: string): string | null;
}

export async function startDemoShop(options: DemoShopOptions = {}): Promise<DemoShop> {
  const { host = "127.0.0.1", port = 0, clock = systemClock, onMail = () => {} } = options;
  const shop = openShop(clock, onMail);
  const closing = new AbortController();
  const app = createSite(shop, closing.signal);
  await app.listen({ host, port });
  const address = app.server.address() as AddressInfo;
  const account = (email: string) => shop.accounts.find(email) ?? null;
  return {
    url: `http://${reachableHost(host)}:${address.port}`,
    orders: () => [...shop.orders.all()],
    requests: () => [...shop.requests.all()],
    messages: () => [...shop.messages],
    account,
    dropSessions: () => shop.sessions.dropAll(),
    failNext: (failure) => shop.faults.failNext(failure),
    setLatency: (milliseconds) => {
      shop.faults.latencyMs = milliseconds;
    },
    setRollingSessions: (on) => {
      shop.sessions.rolling = on;
    },
    setOneTimeCode: (email, on) => {
      const found = account(email);
      if (found === null) throw new Error(`The demo shop has no account ${email}.`);
      found.asksForCode = on;
    },
    oneTimeCode: (email) => account(email)?.code?.digits ?? null,
    async [Symbol.asyncDispose]() {
      closing.abort();
      await app.close();
    },
  };
}

/** A browser cannot open the wildcard addresses. */
function reachableHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
