import { html } from "../../src/lib/html.ts";
import type { SiteResponse } from "../site/response.ts";
import type { MemberVisit } from "../site/visit.ts";
import type { Problems } from "../trade/problems.ts";
import { accountPage } from "./account-frame.ts";
import { addressBlock } from "./address-fields.ts";
import { checkbox, postForm, textField } from "./fields.ts";
import { ordersTable } from "./order-pages.ts";

export function overviewPage({ account, shop, today }: MemberVisit): SiteResponse {
  const orders = shop.orders.of(account.email).slice(0, 2);
  const [home] = account.addresses;
  return accountPage(
    "overview",
    `Hello, ${account.displayName}`,
    html`<p class="lead">You are signed in as ${account.email}.</p>
    <section aria-labelledby="latest"><h2 id="latest">Latest orders</h2>
      ${orders.length === 0 ? html`<p>None yet. <a href="/products">See all products</a></p>` : ordersTable(orders, today)}
      ${orders.length > 0 && html`<p><a href="/account/orders">All orders</a></p>`}</section>
    <div class="tiles">
      <section class="card" aria-labelledby="home"><h2 id="home">Address</h2>
        ${home === undefined ? html`<p class="muted">No address yet.</p>` : addressBlock(home)}
        <p><a href="/account/addresses">Open the address book</a></p></section>
      <section class="card" aria-labelledby="choices"><h2 id="choices">Settings</h2>
        <p>Newsletter: ${account.newsletter ? "yes" : "no"}<br>One-time code at sign-in: ${account.asksForCode ? "yes" : "no"}</p>
        <p><a href="/account/settings">Change settings</a></p></section>
    </div>`,
  );
}

export interface SettingsValues {
  displayName: string;
  newsletter: boolean;
  asksForCode: boolean;
}

export function settingsPage(visit: MemberVisit, values: SettingsValues, problems: Problems = {}): SiteResponse {
  return accountPage(
    "settings",
    "Settings",
    postForm(
      visit.session,
      "/account/settings",
      html`${textField({
        label: "Display name",
        name: "displayName",
        value: values.displayName,
        problems,
        autocomplete: "name",
        hint: "How we greet you",
      })}
      ${checkbox("newsletter", "Send me the newsletter", values.newsletter, "Four times a year, with a season's picks")}
      ${checkbox("asksForCode", "Ask for a one-time code when I sign in", values.asksForCode, "Six digits, sent to your e-mail address")}
      <button class="button" type="submit">Save settings</button>`,
      "form card",
    ),
    problems,
  );
}
