import type { ShapeName } from "../pictures/shapes.ts";
import type { ColourName } from "../pictures/tones.ts";
import type { Category } from "./categories.ts";

/** What somebody writes down about a product; the rest follows from its category and its place in the list. */
export interface ProductEntry {
  name: string;
  kind: string;
  blurb: string;
  priceCents: number;
  stock: number;
  /** Out of 50, so that 4.7 stars are 47 and sorting needs no fractions. */
  rating: number;
  ratings: number;
  shape: ShapeName;
  colour: ColourName;
  material: string;
  size: string;
  grams: number;
}

export interface Product extends Readonly<Omit<ProductEntry, "stock">> {
  sku: string;
  slug: string;
  category: Category;
  /** How many there are when the shop opens. */
  initialStock: number;
}

export function toProducts(category: Category, entries: readonly ProductEntry[]): Product[] {
  return entries.map(({ stock, ...entry }, index) => ({
    ...entry,
    category,
    initialStock: stock,
    sku: `${category.prefix}-${101 + index}`,
    slug: entry.name.toLowerCase().replaceAll(/[^a-z]+/g, "-"),
  }));
}
