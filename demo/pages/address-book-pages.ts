import { html } from "../../src/lib/html.ts";
import type { SiteResponse } from "../site/response.ts";
import type { MemberVisit } from "../site/visit.ts";
import type { Address, SavedAddress } from "../trade/addresses.ts";
import type { Problems } from "../trade/problems.ts";
import { accountPage } from "./account-frame.ts";
import { addressBlock, addressFields } from "./address-fields.ts";
import { postForm } from "./fields.ts";

export function addressBookPage({ account }: MemberVisit): SiteResponse {
  const { addresses } = account;
  return accountPage(
    "addresses",
    "Address book",
    html`${addresses.length === 0 && html`<p>There is no address here yet.</p>`}
    <ul class="tiles">${addresses.map(
      (address) => html`<li class="card">${addressBlock(address)}
        <p class="actions"><a href="/account/addresses/${address.id}" aria-label="Edit ${address.street}">Edit</a>
        <a href="/account/addresses/${address.id}/delete" aria-label="Delete ${address.street}">Delete</a></p></li>`,
    )}</ul>
    <p><a class="button" href="/account/addresses/new">Add an address</a></p>`,
  );
}

/** An address without an id is new. */
export function editAddressPage(
  visit: MemberVisit,
  id: string | null,
  address: Address,
  problems: Problems = {},
): SiteResponse {
  return accountPage(
    "addresses",
    id === null ? "Add an address" : "Edit address",
    postForm(
      visit.session,
      `/account/addresses/${id ?? "new"}`,
      html`${addressFields(address, problems)}
      <p class="actions"><button class="button" type="submit">Save address</button> <a href="/account/addresses">Back</a></p>`,
      "form card",
    ),
    problems,
  );
}

export function deleteAddressPage({ session }: MemberVisit, address: SavedAddress): SiteResponse {
  return accountPage(
    "addresses",
    "Delete this address?",
    html`<div class="card">${addressBlock(address)}
    ${postForm(
      session,
      `/account/addresses/${address.id}/delete`,
      html`<p class="actions"><button class="button danger" type="submit">Delete</button> <a href="/account/addresses">Keep it</a></p>`,
    )}</div>`,
  );
}
