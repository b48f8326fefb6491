import { isIP } from "node:net";
import { type AddressKind, addressKind } from "./address-kind.ts";

/** Not even a name that the operator listed leads here; the address itself has to be listed. */
const NEVER_BY_NAME: readonly AddressKind[] = [
  "metadata",
  "link-local",
  "multicast",
  "unspecified",
  "embedded-ipv4",
  "not-an-address",
];

/**
 * Whether a host at these addresses may be connected to: public ones may, others only where the operator has opened the host.
 * One bad address spoils the answer: which one is used is up to the network.
 */
export function areReachable(host: string, addresses: readonly string[], isOpened: boolean): boolean {
  const isName = isIP(host) === 0;
  return addresses.every((address) => {
    const kind = addressKind(address);
    return kind === "public" || (isOpened && !(isName && NEVER_BY_NAME.includes(kind)));
  });
}
