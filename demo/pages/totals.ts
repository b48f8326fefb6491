import { type Html, html } from "../../src/lib/html.ts";
import type { Totals } from "../trade/cart.ts";
import { formatMoney } from "../trade/money.ts";

export function totalsList(totals: Totals, deliveryLabel: string): Html {
  const { goodsCents, voucher, discountCents, deliveryCents, totalCents } = totals;
  return html`<dl class="totals">
    <div><dt>Goods</dt><dd>${formatMoney(goodsCents)}</dd></div>
    ${voucher !== null && html`<div><dt>Voucher ${voucher.code}</dt><dd>${discountCents > 0 ? formatMoney(-discountCents) : voucher.label}</dd></div>`}
    <div><dt>${deliveryLabel}</dt><dd>${deliveryCents === 0 ? "Free" : formatMoney(deliveryCents)}</dd></div>
    <div class="total"><dt>Total</dt><dd>${formatMoney(totalCents)}</dd></div>
  </dl>`;
}
