import type { Clock } from "../../src/lib/clock.ts";
import { Accounts } from "../people/accounts.ts";
import { addDemoAccounts } from "../people/demo-accounts.ts";
import { Sessions } from "../people/sessions.ts";
import { Orders } from "../trade/orders.ts";
import { Stock } from "../trade/stock.ts";
import { Faults } from "./faults.ts";
import { RequestLog } from "./request-log.ts";

/** A message from the contact form. */
export interface ContactMessage {
  name: string;
  email: string;
  topic: string;
  text: string;
}

/** An email that the shop would send if it could. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** The whole state of a shop, in memory only. */
export interface ShopState {
  clock: Clock;
  accounts: Accounts;
  sessions: Sessions;
  orders: Orders;
  stock: Stock;
  messages: ContactMessage[];
  requests: RequestLog;
  faults: Faults;
  sendMail(mail: Mail): void;
}

export function openShop(clock: Clock, sendMail: (mail: Mail) => void): ShopState {
  const shop: ShopState = {
    clock,
    accounts: new Accounts(),
    sessions: new Sessions(),
    orders: new Orders(),
    stock: new Stock(),
    messages: [],
    requests: new RequestLog(),
    faults: new Faults(),
    sendMail,
  };
  addDemoAccounts(shop.accounts, shop.orders, clock.now());
  return shop;
}
