import { findProductBySlug, recommendedWith } from "../catalogue/products.ts";
import { cataloguePage } from "../pages/catalogue-page.ts";
import { notFoundPage } from "../pages/error-pages.ts";
import { homePage } from "../pages/home-page.ts";
import { productPage } from "../pages/product-page.ts";
import { picture } from "../pictures/shapes.ts";
import type { SiteResponse } from "../site/response.ts";
import { anyone, type Route } from "../site/route.ts";
import type { Visit } from "../site/visit.ts";
import { formatMoney } from "../trade/money.ts";

export const CATALOGUE_ROUTES: readonly Route[] = [
  anyone("GET", "/", homePage),
  anyone("GET", "/products", cataloguePage),
  anyone("GET", "/products/:slug", showProduct),
  anyone("GET", "/products/:slug/recommended", recommend),
];

function showProduct(visit: Visit): SiteResponse {
  const product = findProductBySlug(visit.params["slug"] ?? "");
  return product === undefined ? notFoundPage() : productPage(visit, product);
}

/** For the script of the product page, which renders it as cards. */
function recommend(visit: Visit): SiteResponse {
  const product = findProductBySlug(visit.params["slug"] ?? "");
  if (product === undefined) return notFoundPage();
  const value = recommendedWith(product).map(({ name, kind, slug, priceCents, shape, colour }) => ({
    name,
    kind,
    href: `/products/${slug}`,
    price: formatMoney(priceCents),
    picture: picture(shape, colour).text,
  }));
  return { kind: "json", value };
}
