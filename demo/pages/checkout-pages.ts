import { type Html, html } from "../../src/lib/html.ts";
import type { SiteResponse } from "../site/response.ts";
import type { MemberVisit } from "../site/visit.ts";
import { type Address, addressLines } from "../trade/addresses.ts";
import { formatDay } from "../trade/calendar.ts";
import { type CompleteCheckout, describePayment } from "../trade/checkout.ts";
import { DELIVERY_METHODS, firstPossibleDay, latestDay } from "../trade/delivery.ts";
import { formatMoney } from "../trade/money.ts";
import type { Problems } from "../trade/problems.ts";
import { addressBlock, addressFields, NO_ADDRESS } from "./address-fields.ts";
import { checkoutPage } from "./checkout-frame.ts";
import { checkbox, postForm, radios, textArea, textField } from "./fields.ts";

export interface AddressValues {
  /** The id of a saved address, or `new`. */
  choice: string;
  address: Address;
}

export function addressPage(visit: MemberVisit, values: AddressValues, problems: Problems = {}): SiteResponse {
  const { addresses } = visit.account;
  const choices = [
    ...addresses.map((saved) => {
      const [label = "", ...lines] = addressLines(saved);
      return { value: saved.id, label, hint: lines.join(", ") };
    }),
    { value: "new", label: "Another address" },
  ];
  const newAddress = html`<div class="new-address">${addressFields(values.address, problems)}
    ${checkbox("save", "Keep it in my address book", false)}</div>`;
  const content =
    addresses.length === 0
      ? html`<input type="hidden" name="address" value="new">${newAddress}`
      : html`<fieldset class="reveals-address"><legend>Send it to</legend>${radios("address", values.choice, choices)}
        ${newAddress}</fieldset>`;
  return step(visit, "address", "Where should it go?", content, "Continue to delivery", problems);
}

export function savedOrEmptyAddress({ account }: MemberVisit): AddressValues {
  const [first] = account.addresses;
  const { address } = account.checkout;
  return { choice: first?.id ?? "new", address: first === undefined ? (address ?? NO_ADDRESS) : NO_ADDRESS };
}

export interface DeliveryValues {
  method: string;
  day: string;
  note: string;
}

export function deliveryPage(visit: MemberVisit, values: DeliveryValues, problems: Problems = {}): SiteResponse {
  const { today } = visit;
  const choices = DELIVERY_METHODS.map((method) => ({
    value: method.id,
    label: method.label,
    hint: method.hint,
    aside: method.priceCents === 0 ? "Free" : formatMoney(method.priceCents),
  }));
  const limits = html`min="${firstPossibleDay(today)}" max="${latestDay(today)}"`;
  const content = html`<fieldset><legend>How should it come?</legend>${radios("method", values.method, choices)}</fieldset>
    ${textField({
      label: "Delivery day",
      name: "day",
      value: values.day,
      problems,
      type: "date",
      hint: "Any day but Sunday, up to thirty days from now",
      attributes: limits,
    })}
    ${textArea({ label: "Note for the parcel", name: "note", value: values.note, problems, optional: true })}`;
  return step(visit, "delivery", "When should it come?", content, "Continue to payment", problems);
}

export interface PaymentValues {
  kind: string;
  holder: string;
}

export function paymentPage(visit: MemberVisit, values: PaymentValues, problems: Problems = {}): SiteResponse {
  const choices = [
    { value: "invoice", label: "On invoice", hint: "Pay within 14 days of delivery" },
    { value: "card", label: "By card", hint: "Test cards only: this shop takes no real one" },
  ];
  const card = html`<div class="card-fields">
    ${textField({ label: "Name on the card", name: "holder", value: values.holder, problems, autocomplete: "cc-name" })}
    ${textField({
      label: "Card number",
      name: "number",
      value: "",
      problems,
      autocomplete: "cc-number",
      inputmode: "numeric",
      placeholder: "9400 1000 2000 3005",
    })}
    <div class="field-row">
      ${textField({ label: "Valid until", name: "expiry", value: "", problems, autocomplete: "cc-exp", placeholder: "MM/YY" })}
      ${textField({ label: "Security code", name: "code", value: "", problems, autocomplete: "cc-csc", inputmode: "numeric" })}
    </div></div>`;
  const content = html`<fieldset class="reveals-card"><legend>Payment</legend>${radios("payment", values.kind, choices)}${card}</fieldset>`;
  return step(visit, "payment", "How would you like to pay?", content, "Continue to review", problems);
}

export function reviewPage(visit: MemberVisit, checkout: CompleteCheckout): SiteResponse {
  const { address, delivery, payment, key } = checkout;
  const facts = [
    { label: "Address", step: "address", fact: addressBlock(address) },
    {
      label: "Delivery",
      step: "delivery",
      fact: html`${delivery.method.label}<br>${formatDay(delivery.day)}${delivery.note !== "" && html`<br>Note: ${delivery.note}`}`,
    },
    { label: "Payment", step: "payment", fact: html`${describePayment(payment)}` },
  ];
  const content = html`<input type="hidden" name="key" value="${key}">
    <dl class="review">${facts.map(
      ({ label, step: target, fact }) => html`<div><dt>${label}</dt><dd>${fact}</dd>
        <dd class="change"><a href="/checkout/${target}" aria-label="Change ${label.toLowerCase()}">Change</a></dd></div>`,
    )}</dl>
    <p class="muted">Once you place the order, it is yours. You can cancel it for free until it is on its way.</p>`;
  return step(visit, "review", "Is everything right?", content, "Place order");
}

function step(
  visit: MemberVisit,
  name: Parameters<typeof checkoutPage>[1],
  heading: string,
  content: Html,
  next: string,
  problems: Problems = {},
): SiteResponse {
  const body = html`${content}<button class="button" type="submit">${next}</button>`;
  return checkoutPage(visit, name, heading, postForm(visit.session, `/checkout/${name}`, body, "form card"), problems);
}
