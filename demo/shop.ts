import type { AddressInfo } from "node:net";
import { type Clock, systemClock } from "../src/lib/clock.ts";
import type { Account } from "./people/accounts.ts";
import { createSite } from "./site/app.ts";
import type { Failure } from "./site/faults.ts";
import type { ReceivedRequest } from "./site/request-log.ts";
import { type ContactMessage, type Mail, openShop } from "./site/state.ts";
import type { Order } from "./trade/orders.ts";

export interface DemoShopOptions {
  /** Only this machine when left out. */
  host?: string;
  /** Any free one when left out. */
  port?: number;
  clock?: Clock;
  /** The shop has no post: one-time codes and confirmations go here. */
  onMail?: (mail: Mail) => void;
}

/** A running shop, and what a test may look at and arrange. Nothing below `url` can be reached over HTTP. */
export interface DemoShop extends AsyncDisposable {
  url: string;
  /** Every order there is, oldest first, with those of the demo accounts from before the shop opened. */
  orders(): readonly Order[];
  /** Every request that was answered, oldest first. */
  requests(): readonly ReceivedRequest[];
  /** What came in by the contact form. */
  messages(): readonly ContactMessage[];
  /** An account as it is now: name, newsletter, addresses, cart. */
  account(email: string): Readonly<Account> | null;
  /** Everybody is signed out, and guests lose their carts, as when a server starts again. */
  dropSessions(): void;
  /** The next request for a path fails and does nothing, and if you like its page claims the opposite. */
  failNext(failure: Failure): void;
  /** Every page takes at least this long. */
  setLatency(milliseconds: number): void;
  /** Every answer replaces the session cookie, and the one before ends when the new one is used. */
  setRollingSessions(on: boolean): void;
  /** Whether an account owes a one-time code when it signs in. */
  setOneTimeCode(email: string, on: boolean): void;
  /** The code that was sent last and has not been used. */
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
      if (found === null) throw new Error(`the demo shop has no account ${email}`);
      found.asksForCode = on;
    },
    oneTimeCode: (email) => account(email)?.code?.digits ?? null,
    async [Symbol.asyncDispose]() {
      closing.abort();
      await app.close();
    },
  };
}

/** "Everywhere" is no address that a browser could open. */
function reachableHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
