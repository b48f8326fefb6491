import type { Product } from "../catalogue/product.ts";
import { findProduct } from "../catalogue/products.ts";
import type { Day } from "./calendar.ts";
import { type DeliveryMethod, deliveryCents } from "./delivery.ts";
import { discountCents, findVoucher, problemWithVoucher, type Voucher } from "./vouchers.ts";

/** The maximum quantity of one product. */
export const MAX_QUANTITY = 10;

export interface Cart {
  /** Quantities by article number, in the order in which they were added. */
  quantities: Map<string, number>;
  voucherCode: string | null;
}

export interface CartLine {
  product: Product;
  quantity: number;
  totalCents: number;
}

export interface Totals {
  goodsCents: number;
  /** Only a voucher that is valid for these items. */
  voucher: Voucher | null;
  discountCents: number;
  deliveryCents: number;
  totalCents: number;
}

export function emptyCart(): Cart {
  return { quantities: new Map(), voucherCode: null };
}

export function cartLines(cart: Cart): CartLine[] {
  return [...cart.quantities].flatMap(([sku, quantity]) => {
    const product = findProduct(sku);
    return product === undefined ? [] : [{ product, quantity, totalCents: product.priceCents * quantity }];
  });
}

export function countItems(cart: Cart): number {
  return cart.quantities.values().reduce((sum, quantity) => sum + quantity, 0);
}

/** Adds as many as allowed and returns the number added. */
export function addToCart(cart: Cart, sku: string, quantity: number, stock: number): number {
  const before = cart.quantities.get(sku) ?? 0;
  const after = Math.min(before + quantity, stock, MAX_QUANTITY);
  if (after > before) cart.quantities.set(sku, after);
  return Math.max(0, after - before);
}

/** Adds the items of a guest cart to the cart of the account. */
export function mergeInto(cart: Cart, other: Cart, stockOf: (sku: string) => number): void {
  for (const [sku, quantity] of other.quantities) addToCart(cart, sku, quantity, stockOf(sku));
  cart.voucherCode = other.voucherCode ?? cart.voucherCode;
}

export function totalsOf(cart: Cart, method: DeliveryMethod, today: Day): Totals {
  const goodsCents = cartLines(cart).reduce((sum, line) => sum + line.totalCents, 0);
  const voucher = validVoucher(cart.voucherCode, goodsCents, today);
  const discount = voucher === null ? 0 : discountCents(voucher, goodsCents);
  const delivery = voucher?.kind === "free-delivery" ? 0 : deliveryCents(method, goodsCents - discount);
  return {
    goodsCents,
    voucher,
    discountCents: discount,
    deliveryCents: delivery,
    totalCents: goodsCents - discount + delivery,
  };
}

function validVoucher(code: string | null, goodsCents: number, today: Day): Voucher | null {
  if (code === null || problemWithVoucher(code, goodsCents, today) !== null) return null;
  return findVoucher(code) ?? null;
}
