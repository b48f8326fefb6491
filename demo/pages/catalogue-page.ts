import { type Html, html } from "../../src/lib/html.ts";
import { CATEGORIES, findCategory } from "../catalogue/categories.ts";
import { type Listing, type ListingQuery, listProducts, parseListingQuery, SORTS } from "../catalogue/listing.ts";
import type { Product } from "../catalogue/product.ts";
import { picture } from "../pictures/shapes.ts";
import { page, type SiteResponse } from "../site/response.ts";
import type { Visit } from "../site/visit.ts";
import { formatMoney } from "../trade/money.ts";
import { breadcrumb, plural, productCard, rating, stockNote } from "./components.ts";
import { csrfField, optionsOf } from "./fields.ts";

export function cataloguePage(visit: Visit): SiteResponse {
  const query = parseListingQuery(visit.query);
  const listing = listProducts(query);
  const category = findCategory(query.category);
  const heading = category?.name ?? "All products";
  return page(
    heading,
    html`${breadcrumb({ label: "Start", href: "/" }, { label: heading })}
    <header class="page-head"><h1>${heading}</h1>${category !== undefined && html`<p class="muted">${category.motto}</p>`}</header>
    ${filterForm(query)}
    <div class="list-bar">
      <p role="status">${plural(listing.total, "product")}${query.search !== "" && html` for “${query.search}”`}
        <span class="muted">· page ${listing.page} of ${listing.pages}</span></p>
      ${viewSwitch(query)}
    </div>
    ${results(visit, query, listing)}
    ${listing.pages > 1 && pagination(query, listing)}`,
  );
}

function filterForm({ search, category, sort, view }: ListingQuery): Html {
  const categories = [
    { value: "", label: "All" },
    ...CATEGORIES.map(({ slug, name }) => ({ value: slug, label: name })),
  ];
  return html`<form class="filters card" action="/products" aria-label="Filter products">
    <div class="field"><label for="q">Search</label><input id="q" type="search" name="q" value="${search}" maxlength="100"></div>
    <div class="field"><label for="category">Category</label><select id="category" name="category">${optionsOf(categories, category)}</select></div>
    <div class="field"><label for="sort">Sort by</label><select id="sort" name="sort">${optionsOf(SORTS, sort)}</select></div>
    ${view === "grid" && html`<input type="hidden" name="view" value="grid">`}
    <button class="button" type="submit">Apply</button>
  </form>`;
}

function viewSwitch(query: ListingQuery): Html {
  const views = [
    { view: "list", label: "List" },
    { view: "grid", label: "Grid" },
  ] as const;
  return html`<nav class="switch" aria-label="View">${views.map(
    ({ view, label }) =>
      html`<a href="${pathTo({ ...query, view })}" ${query.view === view && html`aria-current="true"`}>${label}</a>`,
  )}</nav>`;
}

function results(visit: Visit, { view }: ListingQuery, { products }: Listing): Html {
  const { stock } = visit.shop;
  if (products.length === 0) {
    return html`<div class="empty card"><p>Nothing fits. Try fewer words or another category.</p>
      <p><a href="/products">Show all products</a></p></div>`;
  }
  if (view === "grid") {
    return html`<h2 class="visually-hidden">Products</h2>
      <ul class="grid">${products.map((product) => productCard(product, stock.of(product.sku)))}</ul>`;
  }
  return html`<table class="product-table card">
    <caption class="visually-hidden">Products</caption>
    <thead><tr>
      <th scope="col">Product</th><th scope="col" class="wide">Category</th>
      <th scope="col" class="wide">Rating</th><th scope="col" class="wide">Availability</th>
      <th scope="col" class="number">Price</th><th scope="col"><span class="visually-hidden">Cart</span></th>
    </tr></thead>
    <tbody>${products.map((product) => row(visit, product))}</tbody>
  </table>`;
}

function row({ shop, session }: Visit, product: Product): Html {
  const { sku, slug, name, kind, category, shape, colour, priceCents } = product;
  const left = shop.stock.of(sku);
  const add = html`<form method="post" action="/cart/add">${csrfField(session)}
    <input type="hidden" name="sku" value="${sku}"><input type="hidden" name="quantity" value="1">
    <button class="button small quiet" type="submit" aria-label="Add ${name} to cart">Add</button></form>`;
  return html`<tr>
    <th scope="row"><div class="product-cell">${picture(shape, colour)}<div><a href="/products/${slug}">${name}</a>
      <span class="muted">${kind}</span></div></div></th>
    <td class="wide">${category.name}</td>
    <td class="wide">${rating(product)}</td>
    <td class="wide">${stockNote(left)}</td>
    <td class="number price">${formatMoney(priceCents)}</td>
    <td class="action">${left === 0 ? html`<span class="muted">Sold out</span>` : add}</td>
  </tr>`;
}

function pagination(query: ListingQuery, { page: current, pages }: Listing): Html {
  const numbers = Array.from({ length: pages }, (_, index) => index + 1);
  return html`<nav class="pagination" aria-label="Pages"><ul>
    ${current > 1 && html`<li><a rel="prev" href="${pathTo({ ...query, page: current - 1 })}">Previous</a></li>`}
    ${numbers.map(
      (number) =>
        html`<li><a href="${pathTo({ ...query, page: number })}" aria-label="Page ${number}"
          ${number === current && html`aria-current="page"`}>${number}</a></li>`,
    )}
    ${current < pages && html`<li><a rel="next" href="${pathTo({ ...query, page: current + 1 })}">Next</a></li>`}
  </ul></nav>`;
}

/** Includes only what differs from the defaults, so that URLs stay short. */
function pathTo({ search, category, sort, view, page: number }: ListingQuery): string {
  const parameters = new URLSearchParams();
  if (search !== "") parameters.set("q", search);
  if (category !== "") parameters.set("category", category);
  if (sort !== "featured") parameters.set("sort", sort);
  if (view !== "list") parameters.set("view", view);
  if (number > 1) parameters.set("page", String(number));
  return parameters.size > 0 ? `/products?${parameters}` : "/products";
}
