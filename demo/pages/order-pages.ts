import { type Html, html } from "../../src/lib/html.ts";
import { findProduct } from "../catalogue/products.ts";
import { page, type SiteResponse } from "../site/response.ts";
import type { MemberVisit } from "../site/visit.ts";
import { type Day, dayOf, formatDay } from "../trade/calendar.ts";
import { describePayment } from "../trade/checkout.ts";
import { formatMoney } from "../trade/money.ts";
import { isCancellable, type Order, statusOf } from "../trade/orders.ts";
import { accountPage } from "./account-frame.ts";
import { addressBlock } from "./address-fields.ts";
import { breadcrumb, plural } from "./components.ts";
import { postForm } from "./fields.ts";
import { CHECK_ICON } from "./icons.ts";
import { totalsList } from "./totals.ts";

export function confirmedPage({ account }: MemberVisit, order: Order): SiteResponse {
  return page(
    "Order confirmed",
    html`<div class="narrow">
      <div class="confirmation"><span class="tick">${CHECK_ICON}</span>
        <h1>Thank you, ${account.displayName}</h1>
        <p class="lead">We have your order. Your order number is <strong class="order-number">${order.number}</strong>.</p></div>
      <div class="card"><dl class="facts">
        <div><dt>Arrives</dt><dd>${formatDay(order.delivery.day)}</dd></div>
        <div><dt>Payment</dt><dd>${describePayment(order.payment)}</dd></div>
        <div><dt>Total</dt><dd class="price">${formatMoney(order.totals.totalCents)}</dd></div>
      </dl></div>
      <p class="actions"><a class="button" href="/account/orders/${order.number}">See your order</a> <a href="/products">Go on shopping</a></p>
    </div>`,
  );
}

export function ordersPage(visit: MemberVisit, orders: readonly Order[]): SiteResponse {
  if (orders.length === 0) {
    return accountPage(
      "orders",
      "Your orders",
      html`<div class="card empty"><p>You have not ordered anything yet.</p><p><a href="/products">See all products</a></p></div>`,
    );
  }
  return accountPage("orders", "Your orders", ordersTable(orders, visit.today));
}

export function ordersTable(orders: readonly Order[], today: Day): Html {
  return html`<table class="orders-table card">
    <caption class="visually-hidden">Your orders, newest first</caption>
    <thead><tr><th scope="col">Order</th><th scope="col" class="wide">Placed on</th><th scope="col" class="wide">Items</th>
      <th scope="col">Status</th><th scope="col">Arrival</th><th scope="col" class="number wide">Total</th></tr></thead>
    <tbody>${orders.map(
      (order) => html`<tr>
        <th scope="row"><a href="/account/orders/${order.number}">${order.number}</a></th>
        <td class="wide">${formatDay(dayOf(order.placedAt))}</td>
        <td class="wide">${plural(
          order.lines.reduce((sum, { quantity }) => sum + quantity, 0),
          "item",
        )}</td>
        <td>${statusBadge(order, today)}</td>
        <td>${order.cancelled ? "–" : formatDay(order.delivery.day)}</td>
        <td class="number wide price">${formatMoney(order.totals.totalCents)}</td></tr>`,
    )}</tbody></table>`;
}

export function orderPage(visit: MemberVisit, order: Order): SiteResponse {
  const { number, delivery, payment, address, totals } = order;
  const body = html`${breadcrumb({ label: "Orders", href: "/account/orders" }, { label: number })}
    <div class="card"><dl class="facts">
      <div><dt>Status</dt><dd>${statusBadge(order, visit.today)}</dd></div>
      <div><dt>Placed on</dt><dd>${formatDay(dayOf(order.placedAt))}</dd></div>
      <div><dt>Arrival</dt><dd>${order.cancelled ? "–" : formatDay(delivery.day)}</dd></div>
      <div><dt>Payment</dt><dd>${describePayment(payment)}</dd></div>
      <div><dt>Address</dt><dd>${addressBlock(address)}</dd></div>
      ${delivery.note !== "" && html`<div><dt>Note</dt><dd>${delivery.note}</dd></div>`}
    </dl></div>
    ${linesTable(order)}
    <div class="card order-totals">${totalsList(totals, delivery.method.label)}</div>
    ${isCancellable(order, visit.today) && cancelLink(visit, order)}`;
  return accountPage("orders", `Order ${number}`, body);
}

/** The confirmation page. With the script, the question appears in a dialog instead. */
export function cancelPage(visit: MemberVisit, order: Order): SiteResponse {
  return accountPage(
    "orders",
    `Cancel order ${order.number}?`,
    html`<div class="card">${cancelForm(visit, order)}</div>`,
  );
}

function cancelLink(visit: MemberVisit, order: Order): Html {
  return html`<p><a class="button quiet danger" href="/account/orders/${order.number}/cancel" data-dialog="cancel-dialog">Cancel this order</a></p>
    <dialog id="cancel-dialog" aria-labelledby="cancel-heading"><h2 id="cancel-heading">Cancel order ${order.number}?</h2>
    ${cancelForm(visit, order)}</dialog>`;
}

function cancelForm({ session }: MemberVisit, { number }: Order): Html {
  return postForm(
    session,
    `/account/orders/${number}/cancel`,
    html`<p>Nothing will be sent and nothing has to be paid. This cannot be undone.</p>
    <p class="actions"><button class="button danger" type="submit">Yes, cancel it</button>
      <a class="button quiet" href="/account/orders/${number}" data-close>Keep the order</a></p>`,
    "cancel-form",
  );
}

function linesTable({ lines }: Order): Html {
  return html`<table class="card"><caption class="visually-hidden">What you ordered</caption>
    <thead><tr><th scope="col">Product</th><th scope="col" class="wide">SKU</th><th scope="col" class="number">Quantity</th>
      <th scope="col" class="number wide">Price</th><th scope="col" class="number">Total</th></tr></thead>
    <tbody>${lines.map(
      ({ sku, name, quantity, unitCents }) => html`<tr>
        <th scope="row"><a href="/products/${findProduct(sku)?.slug}">${name}</a></th><td class="wide">${sku}</td>
        <td class="number">${quantity}</td><td class="number wide">${formatMoney(unitCents)}</td>
        <td class="number price">${formatMoney(unitCents * quantity)}</td></tr>`,
    )}</tbody></table>`;
}

function statusBadge(order: Order, today: Day): Html {
  const status = statusOf(order, today);
  return html`<span class="badge badge-${status.toLowerCase().replaceAll(" ", "-")}">${status}</span>`;
}
