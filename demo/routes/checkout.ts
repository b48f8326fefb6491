import { readAddress } from "../pages/address-fields.ts";
import { addressPage, deliveryPage, paymentPage, savedOrEmptyAddress } from "../pages/checkout-pages.ts";
import { redirect, type SiteResponse } from "../site/response.ts";
import { member, type Route } from "../site/route.ts";
import { field, type MemberVisit } from "../site/visit.ts";
import { type Address, problemsWithAddress } from "../trade/addresses.ts";
import { lastFour, problemsWithCard } from "../trade/cards.ts";
import { type CheckoutStep, mayOpen, nextStep } from "../trade/checkout.ts";
import { earliestDay, findDeliveryMethod, problemWithDay, STANDARD } from "../trade/delivery.ts";
import { hasProblems, type Problems } from "../trade/problems.ts";
import { saveAddress } from "./addresses.ts";

export const CHECKOUT_ROUTES: readonly Route[] = [
  member("GET", "/checkout", (visit) => redirect(`/checkout/${nextStep(visit.account.checkout)}`)),
  step("GET", "address", (visit) => addressPage(visit, savedOrEmptyAddress(visit))),
  step("POST", "address", chooseAddress),
  step("GET", "delivery", showDelivery),
  step("POST", "delivery", chooseDelivery),
  step("GET", "payment", showPayment),
  step("POST", "payment", choosePayment),
];

/** Redirects if the cart is empty or an earlier step is incomplete. */
export function step(method: "GET" | "POST", name: CheckoutStep, handle: (visit: MemberVisit) => SiteResponse): Route {
  return member(method, `/checkout/${name}`, (visit) => {
    const { cart, checkout } = visit.account;
    if (cart.quantities.size === 0) return redirect("/cart");
    return mayOpen(name, checkout) ? handle(visit) : redirect(`/checkout/${nextStep(checkout)}`);
  });
}

function chooseAddress(visit: MemberVisit): SiteResponse {
  const { account } = visit;
  const choice = field(visit, "address");
  const saved = account.addresses.find(({ id }) => id === choice);
  const address: Address = saved ?? readAddress(visit);
  const problems = problemsWithAddress(address);
  if (hasProblems(problems)) return addressPage(visit, { choice: "new", address }, problems);
  if (saved === undefined && field(visit, "save") === "yes") saveAddress(account, null, address);
  account.checkout.address = { ...address };
  return redirect("/checkout/delivery");
}

function showDelivery(visit: MemberVisit): SiteResponse {
  const { delivery } = visit.account.checkout;
  const day = delivery?.day ?? earliestDay(STANDARD, visit.today);
  return deliveryPage(visit, { method: delivery?.method.id ?? STANDARD.id, day, note: delivery?.note ?? "" });
}

function chooseDelivery(visit: MemberVisit): SiteResponse {
  const values = { method: field(visit, "method"), day: field(visit, "day"), note: field(visit, "note") };
  const method = findDeliveryMethod(values.method);
  if (method === undefined) return deliveryPage(visit, values, { "method-standard": "Choose how it should come." });
  const problem = problemWithDay(values.day, method, visit.today);
  const problems: Problems = problem === null ? {} : { day: problem };
  if (values.note.length > 200) problems["note"] = "A note has 200 characters at most.";
  if (hasProblems(problems)) return deliveryPage(visit, values, problems);
  visit.account.checkout.delivery = { method, day: values.day, note: values.note };
  return redirect("/checkout/payment");
}

function showPayment(visit: MemberVisit): SiteResponse {
  const { payment } = visit.account.checkout;
  const holder = payment?.kind === "card" ? payment.holder : "";
  return paymentPage(visit, { kind: payment?.kind ?? "invoice", holder });
}

function choosePayment(visit: MemberVisit): SiteResponse {
  const { checkout } = visit.account;
  const kind = field(visit, "payment");
  if (kind === "invoice") {
    checkout.payment = { kind };
    return redirect("/checkout/review");
  }
  const card = {
    holder: field(visit, "holder"),
    number: field(visit, "number"),
    expiry: field(visit, "expiry"),
    code: field(visit, "code"),
  };
  const problems: Problems =
    kind === "card" ? problemsWithCard(card, visit.now) : { "payment-invoice": "Choose how you would like to pay." };
  if (hasProblems(problems)) return paymentPage(visit, { kind, holder: card.holder }, problems);
  checkout.payment = { kind: "card", holder: card.holder, lastFour: lastFour(card.number) };
  return redirect("/checkout/review");
}
