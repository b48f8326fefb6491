import type { Address } from "./addresses.ts";
import { addDays, type Day, dayOf } from "./calendar.ts";
import type { CartLine, Totals } from "./cart.ts";
import type { Delivery, Payment } from "./checkout.ts";

export interface OrderLine {
  sku: string;
  name: string;
  quantity: number;
  unitCents: number;
}

export interface Order {
  number: string;
  email: string;
  /** The checkout that created it. */
  key: string;
  placedAt: Date;
  lines: OrderLine[];
  totals: Totals;
  address: Address;
  delivery: Delivery;
  payment: Payment;
  cancelled: boolean;
}

export type OrderStatus = "Received" | "Being packed" | "On its way" | "Delivered" | "Cancelled";

export type NewOrder = Omit<Order, "number" | "cancelled">;

const FIRST_NUMBER = 10_041;
const DAYS_ON_THE_WAY = 2;

export class Orders {
  readonly #orders: Order[] = [];

  all(): readonly Order[] {
    return this.#orders;
  }

  /** Newest first. */
  of(email: string): Order[] {
    return this.#orders.filter((order) => order.email === email).reverse();
  }

  /** Finds only orders of this user. */
  find(email: string, number: string): Order | undefined {
    return this.#orders.find((order) => order.email === email && order.number === number);
  }

  findByKey(email: string, key: string): Order | undefined {
    return this.#orders.find((order) => order.email === email && order.key === key);
  }

  add(order: NewOrder): Order {
    const added = { ...order, number: `T-${FIRST_NUMBER + this.#orders.length * 7}`, cancelled: false };
    this.#orders.push(added);
    return added;
  }
}

export function toOrderLines(lines: readonly CartLine[]): OrderLine[] {
  return lines.map(({ product: { sku, name, priceCents }, quantity }) => ({
    sku,
    name,
    quantity,
    unitCents: priceCents,
  }));
}

/** Derived from the calendar, so that an order progresses by itself. */
export function statusOf(order: Order, today: Day): OrderStatus {
  if (order.cancelled) return "Cancelled";
  if (today >= order.delivery.day) return "Delivered";
  if (today === dayOf(order.placedAt)) return "Received";
  return today >= addDays(order.delivery.day, -DAYS_ON_THE_WAY) ? "On its way" : "Being packed";
}

export function isCancellable(order: Order, today: Day): boolean {
  const status = statusOf(order, today);
  return status === "Received" || status === "Being packed";
}
