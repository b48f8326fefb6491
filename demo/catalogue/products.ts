import { CATEGORIES, type Category } from "./categories.ts";
import { DESK } from "./desk.ts";
import { GARDEN } from "./garden.ts";
import { KITCHEN } from "./kitchen.ts";
import { LIGHTING } from "./lighting.ts";
import { type Product, type ProductEntry, toProducts } from "./product.ts";
import { TEXTILES } from "./textiles.ts";
import { TRAVEL } from "./travel.ts";

const ENTRIES: Record<string, readonly ProductEntry[]> = {
  kitchen: KITCHEN,
  desk: DESK,
  lighting: LIGHTING,
  garden: GARDEN,
  travel: TRAVEL,
  textiles: TEXTILES,
};

/** All products, by category. */
export const PRODUCTS: readonly Product[] = CATEGORIES.flatMap((category) =>
  toProducts(category, ENTRIES[category.slug] ?? []),
);

const BY_SLUG = new Map(PRODUCTS.map((product) => [product.slug, product]));
const BY_SKU = new Map(PRODUCTS.map((product) => [product.sku, product]));

const FEATURED = ["brindle-kettle", "heath-wool-blanket", "pilcrow-daypack", "wrenhouse-nest-box"];

export function findProductBySlug(slug: string): Product | undefined {
  return BY_SLUG.get(slug);
}

export function findProduct(sku: string): Product | undefined {
  return BY_SKU.get(sku);
}

export function featuredProducts(): Product[] {
  return FEATURED.flatMap((slug) => BY_SLUG.get(slug) ?? []);
}

/** The best-rated other products of the same category. */
export function recommendedWith(product: Product): Product[] {
  return productsOf(product.category)
    .filter(({ sku }) => sku !== product.sku)
    .sort((one, other) => other.rating - one.rating || one.sku.localeCompare(other.sku))
    .slice(0, 4);
}

function productsOf(category: Category): Product[] {
  return PRODUCTS.filter((product) => product.category === category);
}
