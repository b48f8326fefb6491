import type { Product } from "./product.ts";
import { PRODUCTS } from "./products.ts";

const PAGE_SIZE = 12;

export const SORTS = [
  { value: "featured", label: "Our order" },
  { value: "price-asc", label: "Price, lowest first" },
  { value: "price-desc", label: "Price, highest first" },
  { value: "name", label: "Name" },
  { value: "rating", label: "Rating, best first" },
] as const;

type Sort = (typeof SORTS)[number]["value"];
type View = "list" | "grid";

/** Search, filters and page of a product list. They are in the URL, so that every list can be linked to. */
export interface ListingQuery {
  search: string;
  category: string;
  sort: Sort;
  view: View;
  page: number;
}

export interface Listing {
  products: Product[];
  total: number;
  pages: number;
  /** The page shown. Beyond the end, this is the last page. */
  page: number;
}

export function parseListingQuery(parameters: URLSearchParams): ListingQuery {
  const sort = SORTS.find(({ value }) => value === parameters.get("sort"));
  const page = Number(parameters.get("page") ?? "1");
  return {
    search: (parameters.get("q") ?? "").trim().slice(0, 100),
    category: parameters.get("category") ?? "",
    sort: sort?.value ?? "featured",
    view: parameters.get("view") === "grid" ? "grid" : "list",
    page: Number.isInteger(page) && page > 0 ? page : 1,
  };
}

export function listProducts(query: ListingQuery): Listing {
  const found = PRODUCTS.filter((product) => isInCategory(product, query) && matches(product, query.search));
  const pages = Math.max(1, Math.ceil(found.length / PAGE_SIZE));
  const page = Math.min(query.page, pages);
  const sorted = found.toSorted(COMPARE[query.sort]);
  return { products: sorted.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE), total: found.length, pages, page };
}

const COMPARE: Record<Sort, (one: Product, other: Product) => number> = {
  featured: () => 0,
  "price-asc": (one, other) => one.priceCents - other.priceCents || byName(one, other),
  "price-desc": (one, other) => other.priceCents - one.priceCents || byName(one, other),
  name: byName,
  rating: (one, other) => other.rating - one.rating || byName(one, other),
};

function byName(one: Product, other: Product): number {
  return one.name.localeCompare(other.name, "en");
}

function isInCategory(product: Product, { category }: ListingQuery): boolean {
  return category === "" || product.category.slug === category;
}

/** Every word of the query must occur. */
function matches(product: Product, search: string): boolean {
  const { name, kind, blurb, material, sku, category } = product;
  const text = [name, kind, blurb, material, sku, category.name].join(" ").toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
