import { addressBookPage, deleteAddressPage, editAddressPage } from "../pages/address-book-pages.ts";
import { NO_ADDRESS, readAddress } from "../pages/address-fields.ts";
import { notFoundPage } from "../pages/error-pages.ts";
import type { Account } from "../people/accounts.ts";
import { redirect, type SiteResponse } from "../site/response.ts";
import { member, type Route } from "../site/route.ts";
import type { MemberVisit } from "../site/visit.ts";
import { type Address, problemsWithAddress, type SavedAddress } from "../trade/addresses.ts";
import { hasProblems } from "../trade/problems.ts";

export const ADDRESS_ROUTES: readonly Route[] = [
  member("GET", "/account/addresses", addressBookPage),
  member("GET", "/account/addresses/new", (visit) => editAddressPage(visit, null, NO_ADDRESS)),
  member("POST", "/account/addresses/new", (visit) => save(visit, null)),
  ofAddress("GET", "", (visit, address) => editAddressPage(visit, address.id, address)),
  ofAddress("POST", "", (visit, address) => save(visit, address.id)),
  ofAddress("GET", "/delete", deleteAddressPage),
  ofAddress("POST", "/delete", remove),
];

/** Saves an address under its id, or as a new one. */
export function saveAddress(account: Account, id: string | null, address: Address): void {
  if (id === null) {
    const highest = Math.max(0, ...account.addresses.map((saved) => Number(saved.id)));
    account.addresses.push({ ...address, id: String(highest + 1) });
  } else {
    account.addresses = account.addresses.map((saved) => (saved.id === id ? { ...address, id } : saved));
  }
}

function ofAddress(
  method: Route["method"],
  tail: string,
  handle: (visit: MemberVisit, address: SavedAddress) => SiteResponse,
): Route {
  return member(method, `/account/addresses/:id${tail}`, (visit) => {
    const address = visit.account.addresses.find(({ id }) => id === visit.params["id"]);
    return address === undefined ? notFoundPage() : handle(visit, address);
  });
}

function save(visit: MemberVisit, id: string | null): SiteResponse {
  const address = readAddress(visit);
  const problems = problemsWithAddress(address);
  if (hasProblems(problems)) return editAddressPage(visit, id, address, problems);
  saveAddress(visit.account, id, address);
  visit.session.notice = "The address is saved.";
  return redirect("/account/addresses");
}

function remove({ account, session }: MemberVisit, address: SavedAddress): SiteResponse {
  account.addresses = account.addresses.filter(({ id }) => id !== address.id);
  session.notice = "The address is deleted.";
  return redirect("/account/addresses");
}
