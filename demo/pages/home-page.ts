import { html } from "../../src/lib/html.ts";
import { CATEGORIES } from "../catalogue/categories.ts";
import { featuredProducts, PRODUCTS } from "../catalogue/products.ts";
import { picture } from "../pictures/shapes.ts";
import { page, type SiteResponse } from "../site/response.ts";
import type { Visit } from "../site/visit.ts";
import { FREE_DELIVERY_FROM_CENTS } from "../trade/delivery.ts";
import { formatMoney } from "../trade/money.ts";
import { productCard } from "./components.ts";
import { HEART_ICON, RETURN_ICON, TRUCK_ICON } from "./icons.ts";

const HERO_PICTURES = [
  ["mug", "clay"],
  ["lamp", "ochre"],
  ["pot", "sky"],
  ["umbrella", "plum"],
] as const;

export function homePage({ shop }: Visit): SiteResponse {
  const featured = featuredProducts();
  return page(
    "Useful things",
    html`<section class="hero">
      <div class="hero-text">
        <h1>Useful things, well made</h1>
        <p>Sixty of them, for the kitchen, the desk, the garden and the road. What are you looking for?</p>
        <form class="hero-search" action="/products">
          <label for="hero-search">Search the shop</label>
          <div class="input-with-button">
            <input id="hero-search" type="search" name="q" placeholder="A kettle, a blanket …" maxlength="100">
            <button class="button" type="submit">Search</button>
          </div>
        </form>
        <p class="hero-links">Or look at <a href="/products">all products</a>, <a href="/products?sort=rating">what people like best</a>
          or <a href="/products?sort=price-asc">the smallest prices</a>.</p>
      </div>
      <div class="hero-pictures" aria-hidden="true">${HERO_PICTURES.map(([shape, colour]) => picture(shape, colour))}</div>
    </section>
    <section aria-labelledby="featured">
      <h2 id="featured">Picked for this season</h2>
      <ul class="grid">${featured.map((product) => productCard(product, shop.stock.of(product.sku)))}</ul>
    </section>
    <section aria-labelledby="categories">
      <h2 id="categories">Shop by category</h2>
      <ul class="category-grid">${CATEGORIES.map(categoryCard)}</ul>
    </section>
    <section class="promises" aria-label="What you can count on">
      <p>${TRUCK_ICON} <span><strong>Free delivery</strong> from ${formatMoney(FREE_DELIVERY_FROM_CENTS)}, on the day you choose</span></p>
      <p>${RETURN_ICON} <span><strong>Thirty days</strong> to change your mind</span></p>
      <p>${HEART_ICON} <span><strong>Real answers</strong> by people, <a href="/contact">within a day</a></span></p>
    </section>`,
  );
}

function categoryCard(category: (typeof CATEGORIES)[number]) {
  const products = PRODUCTS.filter((product) => product.category === category);
  const [first] = products.filter(({ rating }) => rating >= 47);
  return html`<li class="card category-card">
    ${first !== undefined && picture(first.shape, first.colour)}
    <div><h3><a href="/products?category=${category.slug}">${category.name}</a></h3>
    <p class="muted">${category.motto}</p></div>
  </li>`;
}
