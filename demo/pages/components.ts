import { type Html, html } from "../../src/lib/html.ts";
import type { Product } from "../catalogue/product.ts";
import { picture } from "../pictures/shapes.ts";
import { formatMoney } from "../trade/money.ts";

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

export function rating(product: Product): Html {
  const stars = (product.rating / 10).toFixed(1);
  return html`<span class="rating"><span aria-hidden="true">★</span>
    <span class="visually-hidden">Rated</span> ${stars}<span class="visually-hidden"> out of 5</span>
    <span class="muted">(${product.ratings})</span></span>`;
}

export function stockNote(left: number): Html {
  if (left === 0) return html`<span class="stock stock-none">Out of stock</span>`;
  if (left <= 5) return html`<span class="stock stock-low">Only ${left} left</span>`;
  return html`<span class="stock">In stock</span>`;
}

/** A product card. The heading's link covers the whole card. */
export function productCard(product: Product, left: number): Html {
  const { slug, name, kind, priceCents, shape, colour } = product;
  return html`<li class="card product-card">
    ${picture(shape, colour)}
    <h3><a href="/products/${slug}">${name}</a></h3>
    <p class="muted">${kind}</p>
    ${left === 0 && html`<p>${stockNote(left)}</p>`}
    <p class="card-foot"><span class="price">${formatMoney(priceCents)}</span> ${rating(product)}</p>
  </li>`;
}

/** Breadcrumbs; the last entry is the page itself. */
export function breadcrumb(...entries: { label: string; href?: string }[]): Html {
  return html`<nav class="breadcrumb" aria-label="Breadcrumb"><ol>
    ${entries.map(({ label, href }) =>
      href === undefined ? html`<li aria-current="page">${label}</li>` : html`<li><a href="${href}">${label}</a></li>`,
    )}
  </ol></nav>`;
}
