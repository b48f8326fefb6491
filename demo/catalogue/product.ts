import type { ShapeName } from "../pictures/shapes.ts";
import type { ColourName } from "../pictures/tones.ts";
import type { Category } from "./categories.ts";

/** The description of a product in the catalogue. The rest follows from its category and its position in the list. */
export interface ProductEntry {
  name: string;
  kind: string;
  blurb: string;
  priceCents: number;
  stock: number;
  /** From 0 to 50: 4.7 stars are 47, so that sorting needs no fractions. */
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
  /** Units in stock when the shop opens. */
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
