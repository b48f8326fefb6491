import { html } from "../../src/lib/html.ts";
import { page, type SiteResponse } from "../site/response.ts";

export function notFoundPage(): SiteResponse {
  return page(
    "Page not found",
    html`<div class="message"><p class="big-number" aria-hidden="true">404</p>
      <h1>There is nothing on this shelf</h1>
      <p>The page may have moved, or the address has a typing error.</p>
      <p class="actions"><a class="button" href="/products">See all products</a> <a href="/">Go to the start page</a></p></div>`,
    404,
  );
}

export function errorPage(status: number): SiteResponse {
  return page(
    "Something went wrong",
    html`<div class="message"><p class="big-number" aria-hidden="true">${status}</p>
      <h1>Something went wrong</h1>
      <p>That is our fault, not yours. Nothing was changed or ordered. Please try again in a moment.</p>
      <p class="actions"><a class="button" href="/">Go to the start page</a> <a href="/contact">Tell us about it</a></p></div>`,
    status,
  );
}

export function forgedFormPage(): SiteResponse {
  return page(
    "This form is out of date",
    html`<div class="message"><p class="big-number" aria-hidden="true">403</p>
      <h1>This form is out of date</h1>
      <p>Nothing was changed. Go back, load the page again and send the form once more.</p>
      <p class="actions"><a class="button" href="/">Go to the start page</a></p></div>`,
    403,
  );
}

/** For tests only: a page that claims success although its status says otherwise and nothing was done. */
export function falseSuccessPage(status: number): SiteResponse {
  return page(
    "Thank you",
    html`<div class="message"><h1>Thank you, all done!</h1>
      <p role="status">Your order has been placed and your changes have been saved. A confirmation is on its way to you.</p>
      <p class="actions"><a class="button" href="/">Go to the start page</a></p></div>`,
    status,
  );
}
