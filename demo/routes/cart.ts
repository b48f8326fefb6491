import { findProduct } from "../catalogue/products.ts";
import { cartPage } from "../pages/cart-page.ts";
import { notFoundPage } from "../pages/error-pages.ts";
import { redirect, type SiteResponse } from "../site/response.ts";
import { anyone, type Route } from "../site/route.ts";
import { cartOf, field, type Visit } from "../site/visit.ts";
import { addToCart, MAX_QUANTITY, totalsOf } from "../trade/cart.ts";
import { STANDARD } from "../trade/delivery.ts";
import { findVoucher, problemWithVoucher } from "../trade/vouchers.ts";

export const CART_ROUTES: readonly Route[] = [
  anyone("GET", "/cart", (visit) => cartPage(visit)),
  anyone("POST", "/cart/add", add),
  anyone("POST", "/cart/change", change),
  anyone("POST", "/cart/remove", remove),
  anyone("POST", "/cart/voucher", applyVoucher),
  anyone("POST", "/cart/voucher/remove", removeVoucher),
];

function add(visit: Visit): SiteResponse {
  const product = findProduct(field(visit, "sku"));
  if (product === undefined) return notFoundPage();
  const added = addToCart(cartOf(visit), product.sku, readQuantity(visit), visit.shop.stock.of(product.sku));
  visit.session.notice =
    added > 0
      ? `${added} × ${product.name} added to your cart.`
      : `You have as many of ${product.name} as we can sell you at once.`;
  return redirect("/cart");
}

function change(visit: Visit): SiteResponse {
  const product = findProduct(field(visit, "sku"));
  const { quantities } = cartOf(visit);
  if (product === undefined || !quantities.has(product.sku)) return redirect("/cart");
  const quantity = Math.min(readQuantity(visit), Math.max(1, visit.shop.stock.of(product.sku)));
  quantities.set(product.sku, quantity);
  visit.session.notice = `Quantity of ${product.name}: ${quantity}.`;
  return redirect("/cart");
}

function remove(visit: Visit): SiteResponse {
  const product = findProduct(field(visit, "sku"));
  if (product !== undefined && cartOf(visit).quantities.delete(product.sku)) {
    visit.session.notice = `${product.name} removed from your cart.`;
  }
  return redirect("/cart");
}

function applyVoucher(visit: Visit): SiteResponse {
  const cart = cartOf(visit);
  const code = field(visit, "voucher");
  const { goodsCents } = totalsOf(cart, STANDARD, visit.today);
  const problem = problemWithVoucher(code, goodsCents, visit.today);
  if (problem !== null) return cartPage(visit, { voucher: problem }, code);
  cart.voucherCode = findVoucher(code)?.code ?? null;
  visit.session.notice = `Voucher ${cart.voucherCode} applied.`;
  return redirect("/cart");
}

function removeVoucher(visit: Visit): SiteResponse {
  cartOf(visit).voucherCode = null;
  visit.session.notice = "Voucher removed.";
  return redirect("/cart");
}

/** Defaults to one for anything that is not a quantity. */
function readQuantity(visit: Visit): number {
  const quantity = Number(field(visit, "quantity"));
  return Number.isInteger(quantity) && quantity > 0 ? Math.min(quantity, MAX_QUANTITY) : 1;
}
