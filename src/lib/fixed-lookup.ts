import type { LookupFunction } from "node:net";

/** Node tries several addresses in turn only if they come from a lookup: this one has its answer already. */
export function lookUpAs(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  return (_name, options, callback) => {
    const [first] = answers;
    if (first === undefined) callback(Object.assign(new Error("No address."), { code: "ENOTFOUND" }), "", 0);
    else if (options.all === true) callback(null, answers);
    else callback(null, first.address, first.family);
  };
}
