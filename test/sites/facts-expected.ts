/** The content of the facts site as data: dates as ISO 8601, money as numbers. */

export const EXPECTED_COMPANY = {
  name: "Larkfield Paper Mill",
  founded: 1884,
  employees: 1250,
  website: "https://larkfield.example/",
  phone: "+44 1632 960118",
  address: "Mill Lane 7, Larkfield",
  openOnSundays: false,
};

export const EXPECTED_ORDER = {
  number: "LM-2026-00417",
  ordered: "2026-02-03",
  shipped: "2026-02-05",
  delivery: "2026-02-09",
  status: "Shipped",
  items: [
    { article: "Letter paper A4, 500 sheets", quantity: 4, price: 12.9, total: 51.6 },
    { article: "Envelopes C5", quantity: 250, price: 0.08, total: 20 },
    { article: "Bookbinding linen, per metre", quantity: 3, price: 389.5, total: 1168.5 },
  ],
  subtotal: 1240.1,
  discount: -62.01,
  shipping: 0,
  vat: 223.84,
  total: 1401.93,
  currency: "EUR",
};

export const EXPECTED_PRODUCTS = [
  { name: "Sketch book", price: 14.5, rating: 4.6, reviews: 128, inStock: true, path: "/products/sketch-book" },
  { name: "Blotting paper", price: 3.2, rating: 4.1, reviews: 17, inStock: true, path: "/products/blotting-paper" },
  { name: "Wax seal kit", price: 24, rating: 3.8, reviews: 9, inStock: false, path: "/products/wax-seal-kit" },
  { name: "Drawing pad", price: 1099, rating: 5, reviews: 1, inStock: true, path: "/products/drawing-pad" },
];

export const EXPECTED_DEPARTURES = [
  { line: "12", destination: "Harbour", departs: "07:42", platform: 3 },
  { line: "7A", destination: "Old Town", departs: "07:55", platform: 1 },
  { line: "12", destination: "Airport", departs: "08:12", platform: 3 },
];

export const EXPECTED_ARRIVALS = [
  { line: "7A", origin: "Old Town", arrives: "07:39", delayMinutes: 0 },
  { line: "30", origin: "Larkfield", arrives: "07:51", delayMinutes: 12 },
];
