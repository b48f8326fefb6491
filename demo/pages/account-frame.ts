import { type Html, html } from "../../src/lib/html.ts";
import { page, type SiteResponse } from "../site/response.ts";
import { hasProblems, type Problems } from "../trade/problems.ts";
import { problemSummary } from "./fields.ts";

const SECTIONS = [
  { id: "overview", label: "Overview", href: "/account" },
  { id: "orders", label: "Orders", href: "/account/orders" },
  { id: "addresses", label: "Address book", href: "/account/addresses" },
  { id: "settings", label: "Settings", href: "/account/settings" },
] as const;

export function accountPage(
  section: (typeof SECTIONS)[number]["id"],
  heading: string,
  body: Html,
  problems: Problems = {},
): SiteResponse {
  return page(
    heading,
    html`<div class="account">
      <nav class="account-nav" aria-label="Account"><ul>${SECTIONS.map(
        ({ id, label, href }) =>
          html`<li><a href="${href}" ${id === section && html`aria-current="page"`}>${label}</a></li>`,
      )}</ul></nav>
      <div class="account-body"><h1>${heading}</h1>${problemSummary(problems)}${body}</div>
    </div>`,
    hasProblems(problems) ? 422 : 200,
  );
}
