import type { Problems } from "./problems.ts";

export interface Address {
  name: string;
  street: string;
  postcode: string;
  city: string;
  country: string;
}

export interface SavedAddress extends Address {
  id: string;
}

export const COUNTRIES = ["Austria", "Belgium", "Germany", "Ireland", "Netherlands", "Portugal", "Slovenia", "Spain"];

export function problemsWithAddress(address: Address): Problems {
  const problems: Problems = {};
  if (address.name === "") problems["name"] = "Enter the name of whoever receives the parcel.";
  if (address.street === "") problems["street"] = "Enter street and number.";
  if (address.postcode === "") problems["postcode"] = "Enter the postcode.";
  else if (!/^[A-Za-z0-9][A-Za-z0-9 -]{2,9}$/.test(address.postcode)) {
    problems["postcode"] = "A postcode has 3 to 10 letters and digits.";
  }
  if (address.city === "") problems["city"] = "Enter the town or city.";
  if (!COUNTRIES.includes(address.country)) problems["country"] = "Choose a country.";
  return problems;
}

export function addressLines({ name, street, postcode, city, country }: Address): string[] {
  return [name, street, `${postcode} ${city}`, country];
}
