import { type Html, html } from "../../src/lib/html.ts";
import { page, type SiteResponse } from "../site/response.ts";
import type { MemberVisit } from "../site/visit.ts";
import { cartLines, totalsOf } from "../trade/cart.ts";
import { CHECKOUT_STEPS, type Checkout, type CheckoutStep, mayOpen } from "../trade/checkout.ts";
import { STANDARD } from "../trade/delivery.ts";
import { formatMoney } from "../trade/money.ts";
import { hasProblems, type Problems } from "../trade/problems.ts";
import { problemSummary } from "./fields.ts";
import { totalsList } from "./totals.ts";

const LABELS: Record<CheckoutStep, string> = {
  address: "Address",
  delivery: "Delivery",
  payment: "Payment",
  review: "Review",
};

/** One step of the checkout: progress, problems, the form and the order summary. */
export function checkoutPage(
  visit: MemberVisit,
  step: CheckoutStep,
  heading: string,
  body: Html,
  problems: Problems = {},
): SiteResponse {
  return page(
    `${heading} · Checkout`,
    html`${steps(step, visit.account.checkout)}
    <div class="with-side">
      <div><h1>${heading}</h1>${problemSummary(problems)}${body}</div>
      ${summary(visit)}
    </div>`,
    hasProblems(problems) ? 422 : 200,
  );
}

function steps(current: CheckoutStep, checkout: Checkout): Html {
  return html`<nav aria-label="Checkout"><ol class="steps">${CHECKOUT_STEPS.map((step) => {
    if (step === current) return html`<li aria-current="step"><span>${LABELS[step]}</span></li>`;
    if (!mayOpen(step, checkout)) return html`<li class="todo"><span>${LABELS[step]}</span></li>`;
    return html`<li class="done"><a href="/checkout/${step}">${LABELS[step]}</a></li>`;
  })}</ol></nav>`;
}

function summary({ account, today }: MemberVisit): Html {
  const method = account.checkout.delivery?.method ?? STANDARD;
  return html`<aside class="card side" aria-label="Your order">
    <h2>Your order</h2>
    <ul class="summary-lines">${cartLines(account.cart).map(
      ({ product, quantity, totalCents }) =>
        html`<li><span>${quantity} × ${product.name}</span> <span>${formatMoney(totalCents)}</span></li>`,
    )}</ul>
    ${totalsList(totalsOf(account.cart, method, today), method.label)}
    <p><a href="/cart">Change the cart</a></p>
  </aside>`;
}
