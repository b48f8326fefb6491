import { type Html, html } from "../../src/lib/html.ts";
import { picture } from "../pictures/shapes.ts";
import { page, type SiteResponse } from "../site/response.ts";
import { cartOf, type Visit } from "../site/visit.ts";
import { type Cart, type CartLine, cartLines, MAX_QUANTITY, totalsOf } from "../trade/cart.ts";
import { STANDARD } from "../trade/delivery.ts";
import { formatMoney } from "../trade/money.ts";
import type { Problems } from "../trade/problems.ts";
import { csrfField, postForm, textField } from "./fields.ts";
import { totalsList } from "./totals.ts";

/** Includes the problem with a voucher code that was just entered, if any. */
export function cartPage(visit: Visit, problems: Problems = {}, code = ""): SiteResponse {
  const cart = cartOf(visit);
  const lines = cartLines(cart);
  if (lines.length === 0) return page("Cart", emptyPage());
  return page(
    "Cart",
    html`<h1>Your cart</h1>
    <div class="with-side">
      <table class="cart-table card">
        <caption class="visually-hidden">Products in your cart</caption>
        <thead><tr><th scope="col">Product</th><th scope="col" class="number wide">Price</th>
          <th scope="col">Quantity</th><th scope="col" class="number">Total</th></tr></thead>
        <tbody>${lines.map((line) => row(visit, line))}</tbody>
      </table>
      <aside class="card side" aria-label="Summary">
        <h2>Summary</h2>
        ${totalsList(totalsOf(cart, STANDARD, visit.today), STANDARD.label)}
        <a class="button full" href="/checkout">Go to checkout</a>
        ${voucherForm(visit, cart, problems, code)}
      </aside>
    </div>`,
    Object.keys(problems).length > 0 ? 422 : 200,
  );
}

function emptyPage(): Html {
  return html`<div class="message"><h1>Your cart is empty</h1>
    <p>Sixty useful things are waiting.</p>
    <p class="actions"><a class="button" href="/products">See all products</a></p></div>`;
}

function row({ session, shop }: Visit, { product, quantity, totalCents }: CartLine): Html {
  const { sku, slug, name, kind, shape, colour, priceCents } = product;
  const most = Math.max(quantity, Math.min(MAX_QUANTITY, shop.stock.of(sku)));
  const numbers = Array.from({ length: most }, (_, index) => index + 1);
  return html`<tr>
    <th scope="row"><div class="product-cell">${picture(shape, colour)}<div><a href="/products/${slug}">${name}</a>
      <span class="muted">${kind}</span></div></div></th>
    <td class="number wide">${formatMoney(priceCents)}</td>
    <td class="quantity"><form method="post" action="/cart/change">${csrfField(session)}<input type="hidden" name="sku" value="${sku}">
      <select name="quantity" aria-label="Quantity of ${name}">${numbers.map(
        (number) => html`<option ${number === quantity && html`selected`}>${number}</option>`,
      )}</select>
      <button class="button small quiet" type="submit" aria-label="Update ${name}">Update</button></form>
      <form method="post" action="/cart/remove">${csrfField(session)}<input type="hidden" name="sku" value="${sku}">
      <button class="link" type="submit" aria-label="Remove ${name}">Remove</button></form></td>
    <td class="number price">${formatMoney(totalCents)}</td>
  </tr>`;
}

function voucherForm({ session }: Visit, cart: Cart, problems: Problems, code: string): Html {
  if (cart.voucherCode !== null && code === "") {
    return html`<form class="voucher" method="post" action="/cart/voucher/remove">${csrfField(session)}
      <p>Voucher <strong>${cart.voucherCode}</strong></p>
      <button class="link" type="submit">Remove voucher</button></form>`;
  }
  return postForm(
    session,
    "/cart/voucher",
    html`${textField({ label: "Voucher code", name: "voucher", value: code, problems, autocomplete: "off" })}
      <button class="button quiet" type="submit">Apply</button>`,
    "voucher",
  );
}
