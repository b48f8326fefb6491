import { type Html, html } from "../../src/lib/html.ts";
import type { Product } from "../catalogue/product.ts";
import { reviewsOf } from "../catalogue/reviews.ts";
import { picture } from "../pictures/shapes.ts";
import { page, type SiteResponse } from "../site/response.ts";
import type { Visit } from "../site/visit.ts";
import { formatDay } from "../trade/calendar.ts";
import { MAX_QUANTITY } from "../trade/cart.ts";
import { earliestDay, FREE_DELIVERY_FROM_CENTS, STANDARD } from "../trade/delivery.ts";
import { formatMoney } from "../trade/money.ts";
import { breadcrumb, rating, stockNote } from "./components.ts";
import { csrfField } from "./fields.ts";
import { TRUCK_ICON } from "./icons.ts";

export function productPage(visit: Visit, product: Product): SiteResponse {
  const { name, kind, category, priceCents, sku, slug, shape, colour } = product;
  const left = visit.shop.stock.of(sku);
  return page(
    name,
    html`${breadcrumb(
      { label: "Start", href: "/" },
      { label: category.name, href: `/products?category=${category.slug}` },
      { label: name },
    )}
    <article class="product">
      <div class="product-picture">${picture(shape, colour, `${name}, drawn`)}</div>
      <div class="product-facts">
        <p class="eyebrow">${kind}</p>
        <h1>${name}</h1>
        <p>${rating(product)}</p>
        <p class="price big">${formatMoney(priceCents)} <span class="muted">with VAT</span></p>
        <dl class="facts">
          <div><dt>Availability</dt><dd>${stockNote(left)}</dd></div>
          <div><dt>SKU</dt><dd>${sku}</dd></div>
        </dl>
        ${left === 0 ? soldOut() : addForm(visit, product, left)}
        ${left > 0 && deliveryNote(visit, priceCents)}
      </div>
    </article>
    ${tabs(product)}
    <section class="recommended" aria-labelledby="recommended" data-recommended="/products/${slug}/recommended">
      <h2 id="recommended">Goes well with it</h2>
      <p data-fallback><a href="/products?category=${category.slug}">See more from ${category.name}</a></p>
    </section>`,
  );
}

function addForm({ session }: Visit, { sku }: Product, left: number): Html {
  const most = Math.min(left, MAX_QUANTITY);
  const numbers = Array.from({ length: most }, (_, index) => index + 1);
  return html`<form class="add-form" method="post" action="/cart/add">${csrfField(session)}
    <input type="hidden" name="sku" value="${sku}">
    <div class="field"><label for="quantity">Quantity</label>
      <select id="quantity" name="quantity">${numbers.map((number) => html`<option>${number}</option>`)}</select></div>
    <button class="button" type="submit">Add to cart</button>
  </form>`;
}

function soldOut(): Html {
  return html`<p class="callout">This one is sold out. <a href="/contact">Write to us</a> and we tell you when it is back.</p>`;
}

function deliveryNote({ today }: Visit, priceCents: number): Html {
  const cost = priceCents >= FREE_DELIVERY_FROM_CENTS ? "free of charge" : `for ${formatMoney(STANDARD.priceCents)}`;
  return html`<p class="callout">${TRUCK_ICON} <span>Delivered by <strong>${formatDay(earliestDay(STANDARD, today))}</strong>
    with standard delivery, ${cost}.</span></p>`;
}

/** Three sections with a list of links to them, which the script turns into tabs. */
function tabs(product: Product): Html {
  return html`<div class="tabs card" data-tabs>
    <ul class="tab-list" aria-label="About this product">
      <li><a href="#description">Description</a></li>
      <li><a href="#specifications">Specifications</a></li>
      <li><a href="#reviews">Reviews</a></li>
    </ul>
    <section id="description" class="tab-panel"><h2>Description</h2>${description(product)}</section>
    <section id="specifications" class="tab-panel"><h2>Specifications</h2>${specifications(product)}</section>
    <section id="reviews" class="tab-panel"><h2>Reviews</h2>${reviews(product)}</section>
  </div>`;
}

function description({ blurb, material, category }: Product): Html {
  return html`<p class="lead">${blurb}</p>
    <p>Made of ${lowerFirst(material)}, tested in our own homes, and repairable: we keep spare parts for ten years.
    ${category.motto}, as we like to say.</p>`;
}

function specifications({ material, size, grams, category, sku }: Product): Html {
  const facts = [
    ["Material", material],
    ["Size", size],
    ["Weight", grams >= 1_000 ? `${(grams / 1_000).toFixed(2)} kg` : `${grams} g`],
    ["Care", category.care],
    ["Guarantee", `${category.guaranteeYears} years`],
    ["SKU", sku],
  ];
  return html`<dl class="specifications">${facts.map(([term, fact]) => html`<div><dt>${term}</dt><dd>${fact}</dd></div>`)}</dl>`;
}

function reviews(product: Product): Html {
  return html`<p>${rating(product)}</p><ul class="reviews">${reviewsOf(product).map(
    ({ author, stars, title, text }) => html`<li>
      <h3>${title}</h3>
      <p class="muted"><span aria-hidden="true">${"★".repeat(stars)}${"☆".repeat(5 - stars)}</span>
        <span class="visually-hidden">${stars} out of 5 stars</span> by ${author}</p>
      <p>${text}</p></li>`,
  )}</ul>`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
