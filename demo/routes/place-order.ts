import { paymentPage, reviewPage } from "../pages/checkout-pages.ts";
import { notFoundPage } from "../pages/error-pages.ts";
import { confirmedPage } from "../pages/order-pages.ts";
import { redirect, type SiteResponse } from "../site/response.ts";
import { member, type Route } from "../site/route.ts";
import { field, type MemberVisit } from "../site/visit.ts";
import { isDeclined } from "../trade/cards.ts";
import { cartLines, emptyCart, totalsOf } from "../trade/cart.ts";
import { beginCheckout, type CompleteCheckout, isComplete, type Payment } from "../trade/checkout.ts";
import { problemWithDay } from "../trade/delivery.ts";
import { type Order, toOrderLines } from "../trade/orders.ts";
import { step } from "./checkout.ts";

const placeOrder = step("POST", "review", whenComplete(place));

export const PLACE_ORDER_ROUTES: readonly Route[] = [
  step("GET", "review", whenComplete(reviewPage)),
  // The form may arrive twice: the second time, cart and checkout are empty and the order exists.
  member("POST", "/checkout/review", (visit) => {
    const order = visit.shop.orders.findByKey(visit.account.email, field(visit, "key"));
    return order === undefined ? placeOrder.handle(visit) : redirect(confirmedPath(order));
  }),
  member("GET", "/checkout/confirmed/:number", (visit) => {
    const order = visit.shop.orders.find(visit.account.email, visit.params["number"] ?? "");
    return order === undefined ? notFoundPage() : confirmedPage(visit, order);
  }),
];

function whenComplete(handle: (visit: MemberVisit, checkout: CompleteCheckout) => SiteResponse) {
  return (visit: MemberVisit): SiteResponse => {
    const { checkout } = visit.account;
    return isComplete(checkout) ? handle(visit, checkout) : redirect("/checkout");
  };
}

/** Synchronous from finding an existing order to saving the new one, so that no other request can come in between. */
function place(visit: MemberVisit, checkout: CompleteCheckout): SiteResponse {
  const { account, shop, now, today } = visit;
  const { key, address, delivery, payment } = checkout;
  // An outdated form: it showed something other than what would be ordered now.
  if (field(visit, "key") !== key) return redirect("/checkout/review");
  const lines = cartLines(account.cart);
  const shortage = shop.stock.findShortage(lines);
  if (shortage !== undefined) {
    visit.session.notice = `There is not enough of ${shortage.product.name} any more. Please change the quantity.`;
    return redirect("/cart");
  }
  if (problemWithDay(delivery.day, delivery.method, today) !== null) {
    visit.session.notice = "The day you chose is not possible any more. Please choose another.";
    return redirect("/checkout/delivery");
  }
  if (isRefused(payment)) return declined(visit, payment);
  const order = shop.orders.add({
    email: account.email,
    key,
    placedAt: now,
    lines: toOrderLines(lines),
    totals: totalsOf(account.cart, delivery.method, today),
    address,
    delivery,
    payment,
  });
  shop.stock.take(order.lines);
  account.cart = emptyCart();
  account.checkout = beginCheckout();
  shop.sendMail({
    to: account.email,
    subject: `Your order ${order.number}`,
    text: `Thank you. Your order ${order.number} arrives on ${delivery.day}.`,
  });
  return redirect(confirmedPath(order));
}

function isRefused(payment: Payment): payment is Extract<Payment, { kind: "card" }> {
  return payment.kind === "card" && isDeclined(payment.lastFour);
}

function declined(visit: MemberVisit, { holder }: Extract<Payment, { kind: "card" }>): SiteResponse {
  visit.account.checkout.payment = null;
  const problem = "Your card was declined and nothing was ordered. Use another card or pay on invoice.";
  return paymentPage(visit, { kind: "card", holder }, { number: problem });
}

function confirmedPath({ number }: Order): string {
  return `/checkout/confirmed/${number}`;
}
