import { type Html, html } from "../../src/lib/html.ts";
import { field, type Visit } from "../site/visit.ts";
import { type Address, addressLines, COUNTRIES } from "../trade/addresses.ts";
import type { Problems } from "../trade/problems.ts";
import { selectField, textField } from "./fields.ts";

export const NO_ADDRESS: Address = { name: "", street: "", postcode: "", city: "", country: "" };

export function addressFields(address: Address, problems: Problems): Html {
  const { name, street, postcode, city, country } = address;
  const choices = [{ value: "", label: "Please choose" }, ...COUNTRIES.map((value) => ({ value, label: value }))];
  return html`${textField({ label: "Full name", name: "name", value: name, problems, autocomplete: "name" })}
    ${textField({ label: "Street and number", name: "street", value: street, problems, autocomplete: "street-address" })}
    <div class="field-row">
      ${textField({ label: "Postcode", name: "postcode", value: postcode, problems, autocomplete: "postal-code" })}
      ${textField({ label: "Town or city", name: "city", value: city, problems, autocomplete: "address-level2" })}
    </div>
    ${selectField({ label: "Country", name: "country", value: country, problems, choices, autocomplete: "country-name" })}`;
}

export function readAddress(visit: Visit): Address {
  return {
    name: field(visit, "name"),
    street: field(visit, "street"),
    postcode: field(visit, "postcode"),
    city: field(visit, "city"),
    country: field(visit, "country"),
  };
}

export function addressBlock(address: Address): Html {
  return html`<address>${addressLines(address).map((line) => html`${line}<br>\n`)}</address>`;
}
