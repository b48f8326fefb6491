/** A small shop on loopback, in a process of its own: two pages are what one errand of the load looks at. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export const LOAD_PROMPT = 'Open "Brindle Kettle". What is the price?';
export const LOAD_PRICE = "€48.00";

const PRODUCTS = ["Brindle Kettle", "Fenwick Mug", "Larch Bowl", "Moss Teapot", "Pebble Plate", "Tarn Jug"];
const LIST = page(
  "Shop",
  `<h1>Shop</h1><ul>${PRODUCTS.map((name, number) => `<li><a href="/products/${number}">${name}</a></li>`).join("")}</ul>`,
);

function page(title: string, main: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><main>${main}</main></html>`;
}

function answer(path: string): string | null {
  if (path === "/") return LIST;
  const number = /^\/products\/(\d)$/.exec(path)?.[1];
  const name = number === undefined ? undefined : PRODUCTS[Number(number)];
  if (name === undefined) return null;
  const price = name === PRODUCTS[0] ? LOAD_PRICE : "€12.00";
  return page(name, `<h1>${name}</h1><p>Price: ${price}</p><p>In stock.</p><p><a href="/">All products</a></p>`);
}

// Imported for its words, it serves nothing.
if (process.send !== undefined && process.argv[1] === import.meta.filename) {
  const server = createServer(({ url = "/" }, response) => {
    const html = answer(url);
    response.statusCode = html === null ? 404 : 200;
    response.setHeader("content-type", "text/html; charset=utf-8").end(html ?? "");
  });
  process.on("disconnect", () => process.exit());
  server.listen(0, "127.0.0.1", () =>
    process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
  );
}
