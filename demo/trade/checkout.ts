import { randomUUID } from "node:crypto";
import type { Address } from "./addresses.ts";
import type { Day } from "./calendar.ts";
import type { DeliveryMethod } from "./delivery.ts";

export interface Delivery {
  method: DeliveryMethod;
  day: Day;
  note: string;
}

/** Of a card, only what may appear on an invoice is kept. */
export type Payment = { kind: "invoice" } | { kind: "card"; holder: string; lastFour: string };

/** A checkout in progress. Incomplete steps are null. */
export interface Checkout {
  /** Part of the form that places the order: no matter how often the form arrives, there is one order. */
  key: string;
  address: Address | null;
  delivery: Delivery | null;
  payment: Payment | null;
}

export interface CompleteCheckout extends Checkout {
  address: Address;
  delivery: Delivery;
  payment: Payment;
}

export const CHECKOUT_STEPS = ["address", "delivery", "payment", "review"] as const;
export type CheckoutStep = (typeof CHECKOUT_STEPS)[number];

export function beginCheckout(): Checkout {
  return { key: randomUUID(), address: null, delivery: null, payment: null };
}

export function isComplete(checkout: Checkout): checkout is CompleteCheckout {
  return nextStep(checkout) === "review";
}

/** The first incomplete step. */
export function nextStep({ address, delivery, payment }: Checkout): CheckoutStep {
  if (address === null) return "address";
  if (delivery === null) return "delivery";
  return payment === null ? "payment" : "review";
}

/** Whether all earlier steps are complete. */
export function mayOpen(step: CheckoutStep, checkout: Checkout): boolean {
  return CHECKOUT_STEPS.indexOf(step) <= CHECKOUT_STEPS.indexOf(nextStep(checkout));
}

export function describePayment(payment: Payment): string {
  return payment.kind === "invoice" ? "On invoice, within 14 days" : `Card ending in ${payment.lastFour}`;
}
