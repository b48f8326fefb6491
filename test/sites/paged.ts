import { html } from "../../src/lib/html.ts";
import { layOut } from "./page.ts";
import { type Site, showPage } from "./site.ts";

const PAGE_SIZE = 10;
const COLOURS = ["Amber", "Blue", "Crimson", "Dusky", "Golden", "Ivory", "Pale", "Scarlet", "White"];
const PLANTS = ["aster", "campion", "foxglove", "iris", "lupin", "mallow", "poppy"];

export interface Plant {
  readonly code: string;
  readonly name: string;
  readonly bed: number;
  readonly count: number;
}

/** 57 of them, not sorted by any column. */
export const PLANT_ROWS: readonly Plant[] = Array.from({ length: 57 }, (_, index) => ({
  code: `P${String(((index * 23) % 57) + 1).padStart(3, "0")}`,
  name: `${COLOURS[index % 9]} ${PLANTS[(index * 3 + Math.floor(index / 9)) % 7]}`,
  bed: ((index * 5) % 12) + 1,
  count: ((index * 31) % 88) + 2,
}));

const COLUMNS = ["code", "name", "bed", "count"] as const;
type Column = (typeof COLUMNS)[number];

interface View {
  readonly filter: string;
  readonly sort: Column | null;
  readonly isDescending: boolean;
  readonly page: number;
}

/** A table of 57 rows: sort links, a filter and pages of ten, all in the query. */
export function createPagedSite(): Site<null> {
  return { state: null, routes: { "GET /": ({ query }) => showPage(plantsPage(readView(query))) } };
}

function readView(query: URLSearchParams): View {
  return {
    filter: query.get("q") ?? "",
    sort: COLUMNS.find((column) => column === query.get("sort")) ?? null,
    isDescending: query.get("order") === "desc",
    page: Math.max(1, Number.parseInt(query.get("page") ?? "1", 10) || 1),
  };
}

function plantsPage(view: View) {
  const matching = select(view);
  const pages = Math.max(1, Math.ceil(matching.length / PAGE_SIZE));
  const page = Math.min(view.page, pages);
  const from = (page - 1) * PAGE_SIZE;
  const shown = matching.slice(from, from + PAGE_SIZE);
  const range =
    matching.length === 0 ? "Nothing found" : `Showing ${from + 1}–${from + shown.length} of ${matching.length}`;
  return layOut(
    "Garden inventory",
    html`<h1>Garden inventory</h1>
    <form method="get" action="/">
      <label>Filter by name <input name="q" value="${view.filter}"></label><button>Filter</button>
    </form>
    <p role="status">${range}</p>
    <table><caption>Plants in the garden</caption>
      <thead><tr>${COLUMNS.map((column) => heading(column, view))}</tr></thead>
      <tbody>${shown.map((row) => html`<tr>${COLUMNS.map((column) => html`<td>${row[column]}</td>`)}</tr>`)}</tbody>
    </table>
    <nav aria-label="Pages">
      ${page > 1 && html`<a rel="prev" href="${addressOf({ ...view, page: page - 1 })}">Previous</a>`}
      ${Array.from({ length: pages }, (_, index) => pageLink(index + 1, page, view))}
      ${page < pages && html`<a rel="next" href="${addressOf({ ...view, page: page + 1 })}">Next</a>`}
    </nav>`,
  );
}

function select({ filter, sort, isDescending }: View): readonly Plant[] {
  const matching = PLANT_ROWS.filter((row) => row.name.toLowerCase().includes(filter.toLowerCase()));
  if (sort === null) return matching;
  const sign = isDescending ? -1 : 1;
  return matching.toSorted((a, b) => sign * compare(a[sort], b[sort]));
}

function compare(a: string | number, b: string | number): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function heading(column: Column, view: View) {
  const isSorted = view.sort === column;
  const direction = view.isDescending ? "descending" : "ascending";
  const target = { ...view, sort: column, isDescending: isSorted && !view.isDescending, page: 1 };
  const label = column.charAt(0).toUpperCase() + column.slice(1);
  return html`<th scope="col" aria-sort="${isSorted ? direction : "none"}"><a href="${addressOf(target)}">${label}</a></th>`;
}

function pageLink(number: number, current: number, view: View) {
  if (number === current) return html`<span aria-current="page">${number}</span> `;
  return html`<a href="${addressOf({ ...view, page: number })}">${number}</a> `;
}

function addressOf({ filter, sort, isDescending, page }: View): string {
  const query = new URLSearchParams();
  if (filter !== "") query.set("q", filter);
  if (sort !== null) query.set("sort", sort);
  if (sort !== null && isDescending) query.set("order", "desc");
  if (page > 1) query.set("page", String(page));
  return `/?${query}`;
}
