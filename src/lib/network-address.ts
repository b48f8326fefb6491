import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";

/** Runs and webhooks may connect to `public` addresses only, unless the operator allows a host. */
type AddressKind =
  | "public"
  | "loopback"
  | "private"
  | "shared"
  | "link-local"
  | "metadata"
  | "multicast"
  | "unspecified"
  | "reserved"
  | "embedded-ipv4"
  | "not-an-address";

/**
 * The first list that contains the address decides: IANA's special-purpose registries and cloud metadata services. Used
 * instead of ipaddr.js, which allows unassigned IPv6 space and Azure's metadata address, and does not look into NAT64.
 */
const IPV4 = parseRanges("ipv4", [
  // Azure's is in public space, Alibaba's and Oracle's are in the shared and reserved ranges.
  ["metadata", "169.254.169.254/32 168.63.129.16/32 100.100.100.200/32 192.0.0.192/32"],
  ["unspecified", "0.0.0.0/8"],
  ["loopback", "127.0.0.0/8"],
  ["private", "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16"],
  ["shared", "100.64.0.0/10"],
  ["link-local", "169.254.0.0/16"],
  ["multicast", "224.0.0.0/4"],
  ["reserved", "192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4"],
]);

const IPV6 = parseRanges("ipv6", [
  ["metadata", "fd00:ec2::254/128 fd20:ce::254/128"],
  ["unspecified", "::/128"],
  ["loopback", "::1/128"],
  ["private", "fc00::/7"],
  ["link-local", "fe80::/10"],
  ["multicast", "ff00::/8"],
  // Mapped, translated, compatible, Teredo, 6to4: forms of an IPv4 address that the IPv4 rules would miss.
  ["embedded-ipv4", "::ffff:0:0/96 ::ffff:0:0:0/96 ::/96 64:ff9b:1::/48 2001::/32 2002::/16"],
  ["reserved", "2001::/23 2001:db8::/32 3fff::/20"],
  ["public", "2000::/3"],
]);

/** DNS64 resolvers put every IPv4 host here; the embedded IPv4 address decides. */
const NAT64 = /^64:ff9b::(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,4})?$/;

export function addressKind(address: string): AddressKind {
  if (isIPv4(address)) return findKind(IPV4, address, "ipv4") ?? "public";
  // An address with a zone ("fe80::1%eth0") is one of this machine's links.
  if (address.includes("%")) return "link-local";
  if (!isIPv6(address)) return "not-an-address";
  const nat64 = NAT64.exec(compress(address));
  if (nat64 !== null) return addressKind(dottedQuad(nat64[1], nat64[2]));
  return findKind(IPV6, address, "ipv6") ?? "reserved";
}

interface Range {
  kind: AddressKind;
  list: BlockList;
}

function parseRanges(family: "ipv4" | "ipv6", table: [kind: AddressKind, subnets: string][]): Range[] {
  return table.map(([kind, subnets]) => {
    const list = new BlockList();
    for (const subnet of subnets.split(" ")) {
      const [network = "", prefix] = subnet.split("/");
      list.addSubnet(network, Number(prefix), family);
    }
    return { kind, list };
  });
}

function findKind(ranges: Range[], address: string, family: "ipv4" | "ipv6"): AddressKind | undefined {
  return ranges.find(({ list }) => list.check(address, family))?.kind;
}

function compress(address: string): string {
  return new URL(`http://[${address}]/`).hostname.slice(1, -1);
}

function dottedQuad(high = "0", low = "0"): string {
  const [upper, lower] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [upper >> 8, upper & 255, lower >> 8, lower & 255].join(".");
}

/** Reachable only if the operator lists the address itself; listing a name that resolves to it is not enough. */
const NEVER_BY_NAME: readonly AddressKind[] = [
  "metadata",
  "link-local",
  "multicast",
  "unspecified",
  "embedded-ipv4",
  "not-an-address",
];

/**
 * Whether a host with these addresses may be connected to: public addresses always, others only if the operator allows the
 * host. All addresses must pass, because any of them may be used.
 */
export function areReachable(host: string, addresses: readonly string[], isAllowed: boolean): boolean {
  const isName = isIP(host) === 0;
  return addresses.every((address) => {
    const kind = addressKind(address);
    return kind === "public" || (isAllowed && !(isName && NEVER_BY_NAME.includes(kind)));
  });
}
