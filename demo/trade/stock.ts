import { PRODUCTS } from "../catalogue/products.ts";
import type { CartLine } from "./cart.ts";
import type { OrderLine } from "./orders.ts";

/** Remaining units of every product. */
export class Stock {
  readonly #left = new Map(PRODUCTS.map(({ sku, initialStock }) => [sku, initialStock]));

  of(sku: string): number {
    return this.#left.get(sku) ?? 0;
  }

  /** The first line that exceeds the stock. */
  findShortage(lines: readonly CartLine[]): CartLine | undefined {
    return lines.find(({ product, quantity }) => quantity > this.of(product.sku));
  }

  take(lines: readonly OrderLine[]): void {
    for (const { sku, quantity } of lines) this.#left.set(sku, this.of(sku) - quantity);
  }

  putBack(lines: readonly OrderLine[]): void {
    for (const { sku, quantity } of lines) this.#left.set(sku, this.of(sku) + quantity);
  }
}
