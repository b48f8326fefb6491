import { type Html, html } from "../../src/lib/html.ts";
import { CATEGORIES } from "../catalogue/categories.ts";
import { cartOf, type Visit } from "../site/visit.ts";
import { countItems } from "../trade/cart.ts";
import { plural } from "./components.ts";
import { csrfField } from "./fields.ts";
import { CART_ICON, PERSON_ICON, SEARCH_ICON } from "./icons.ts";

/** The frame around every page. Shows the session's notice once. */
export function layout(visit: Visit, title: string, body: Html): Html {
  const { notice } = visit.session;
  visit.session.notice = null;
  return html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>${title} · Tindlemere</title>
  <link rel="icon" href="/assets/mark.svg" type="image/svg+xml">
  <link rel="stylesheet" href="/assets/shop.css">
  <script src="/assets/shop.js" type="module"></script>
</head>
<body>
  <a class="skip-link" href="#content">Skip to content</a>
  <p class="announcement">A demonstration shop: nothing is sold, nothing is sent. New here? <strong>WELCOME10</strong> takes 10 % off.</p>
  ${header(visit)}
  <main id="content" tabindex="-1" class="wrap">
    ${notice !== null && html`<p class="notice" role="status">${notice}</p>`}
    ${body}
  </main>
  ${footer()}
</body>
</html>`;
}

function header(visit: Visit): Html {
  const items = countItems(cartOf(visit));
  const search = visit.path === "/products" ? (visit.query.get("q") ?? "") : "";
  return html`<header class="site-header">
    <div class="wrap site-bar">
      <a class="wordmark" href="/"><img src="/assets/mark.svg" alt="" width="30" height="30"> Tindlemere</a>
      <nav class="site-nav" aria-label="Shop">
        <details class="menu">
          <summary>Categories</summary>
          <ul>
            <li><a href="/products">All products</a></li>
            ${CATEGORIES.map(({ slug, name }) => html`<li><a href="/products?category=${slug}">${name}</a></li>`)}
          </ul>
        </details>
      </nav>
      <form class="site-search" role="search" action="/products">
        <label class="visually-hidden" for="site-search">Search all products</label>
        <input id="site-search" type="search" name="q" value="${search}" placeholder="Search" maxlength="100">
        <button type="submit" aria-label="Search">${SEARCH_ICON}</button>
      </form>
      <nav class="site-you" aria-label="You">
        ${accountMenu(visit)}
        <a class="cart-link" href="/cart" aria-label="Cart, ${plural(items, "item")}">${CART_ICON}
          <span class="bar-text">Cart</span>${items > 0 && html` <span class="count">${items}</span>`}</a>
      </nav>
    </div>
  </header>`;
}

function accountMenu({ account, session }: Visit): Html {
  if (account === null) return html`<a href="/sign-in">${PERSON_ICON} <span>Sign in</span></a>`;
  return html`<details class="menu menu-end">
    <summary aria-label="Your account, ${account.displayName}">${PERSON_ICON} <span class="bar-text">${account.displayName}</span></summary>
    <ul>
      <li><a href="/account">Overview</a></li>
      <li><a href="/account/orders">Orders</a></li>
      <li><a href="/account/addresses">Address book</a></li>
      <li><a href="/account/settings">Settings</a></li>
      <li><form method="post" action="/sign-out">${csrfField(session)}<button class="link" type="submit">Sign out</button></form></li>
    </ul>
  </details>`;
}

function footer(): Html {
  return html`<footer class="site-footer">
    <div class="wrap footer-columns">
      <div>
        <p class="wordmark">Tindlemere</p>
        <p>Useful things for small homes and long walks. Invented for trying out Errand, and for its tests.</p>
      </div>
      <nav aria-label="Categories">
        <h2>Shop</h2>
        <ul>${CATEGORIES.map(({ slug, name }) => html`<li><a href="/products?category=${slug}">${name}</a></li>`)}</ul>
      </nav>
      <nav aria-label="Service">
        <h2>Service</h2>
        <ul>
          <li><a href="/contact">Contact</a></li>
          <li><a href="/account/orders">Your orders</a></li>
          <li><a href="/cart">Your cart</a></li>
        </ul>
      </nav>
    </div>
  </footer>`;
}
