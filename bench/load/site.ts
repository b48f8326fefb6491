import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A small shop on loopback, in its own process. Executions under load open one or two of its pages. */

/** The prompt of an execution under load, and the number of pages that it takes. */
export interface LoadErrand {
  pages: number;
  prompt: string;
}

export const LOAD_PRICE = "€48.00";

const ERRANDS: LoadErrand[] = [
  { pages: 1, prompt: "What is the price of the Brindle Kettle?" },
  { pages: 2, prompt: 'Open "Brindle Kettle". What is the price?' },
];

export function findErrand(pages: number): LoadErrand {
  const errand = ERRANDS.find((one) => one.pages === pages);
  if (errand === undefined) throw new Error("--pages must be 1 or 2.");
  return errand;
}

const PRODUCTS = ["Brindle Kettle", "Fenwick Mug", "Larch Bowl", "Moss Teapot", "Pebble Plate", "Tarn Jug"];
const LIST = page(
  "Shop",
  `<h1>Shop</h1><table><tr><th>Product</th><th>Price</th></tr>${PRODUCTS.map(toRow).join("")}</table>`,
);

function toRow(name: string, number: number): string {
  return `<tr><td><a href="/products/${number}">${name}</a></td><td>${priceOf(name)}</td></tr>`;
}

function priceOf(name: string): string {
  return name === PRODUCTS[0] ? LOAD_PRICE : "€12.00";
}

function page(title: string, main: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><main>${main}</main></html>`;
}

function render(path: string): string | null {
  if (path === "/") return LIST;
  const number = /^\/products\/(\d)$/.exec(path)?.[1];
  const name = number === undefined ? undefined : PRODUCTS[Number(number)];
  if (name === undefined) return null;
  return page(
    name,
    `<h1>${name}</h1><p>Price: ${priceOf(name)}</p><p>In stock.</p><p><a href="/">All products</a></p>`,
  );
}

// When imported for its constants, the module serves nothing.
if (process.send !== undefined && process.argv[1] === import.meta.filename) {
  const server = createServer(({ url = "/" }, response) => {
    const html = render(url);
    response.statusCode = html === null ? 404 : 200;
    response.setHeader("content-type", "text/html; charset=utf-8").end(html ?? "");
  });
  process.on("disconnect", () => process.exit());
  server.listen(0, "127.0.0.1", () =>
    process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
  );
}
