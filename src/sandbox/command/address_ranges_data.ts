/**
 * Ranges of addresses that commands do not reach by a name, from the registries of special-purpose
 * addresses (RFC 6890 and its successors) and from the manuals of cloud providers.
 */

export interface AddressRange {
  /** The first address of the range. */
  readonly first: string;
  /** How many leading bits all its addresses share. */
  readonly bits: number;
  /** Completes "ADDRESS is …". */
  readonly what: string;
}

const LOOPBACK = "a loopback address";
const PRIVATE = "a private address";
const LINK_LOCAL = "a link-local address";
const RESERVED = "a reserved address";

export const IPV4_RANGES: readonly AddressRange[] = [
  { first: "169.254.169.254", bits: 32, what: "the metadata address of cloud machines" },
  { first: "168.63.129.16", bits: 32, what: "the metadata address of cloud machines" },
  { first: "100.100.100.200", bits: 32, what: "the metadata address of cloud machines" },
  { first: "192.0.0.192", bits: 32, what: "the metadata address of cloud machines" },
  { first: "0.0.0.0", bits: 8, what: "an address of this machine" },
  { first: "127.0.0.0", bits: 8, what: LOOPBACK },
  { first: "169.254.0.0", bits: 16, what: LINK_LOCAL },
  { first: "10.0.0.0", bits: 8, what: PRIVATE },
  { first: "172.16.0.0", bits: 12, what: PRIVATE },
  { first: "192.168.0.0", bits: 16, what: PRIVATE },
  { first: "100.64.0.0", bits: 10, what: PRIVATE },
  { first: "192.0.0.0", bits: 24, what: RESERVED },
  { first: "192.0.2.0", bits: 24, what: RESERVED },
  { first: "192.88.99.0", bits: 24, what: RESERVED },
  { first: "198.18.0.0", bits: 15, what: RESERVED },
  { first: "198.51.100.0", bits: 24, what: RESERVED },
  { first: "203.0.113.0", bits: 24, what: RESERVED },
  { first: "224.0.0.0", bits: 4, what: "a multicast address" },
  { first: "240.0.0.0", bits: 4, what: RESERVED },
];

/** Everything outside `2000::/3` is refused as well; these only say more exactly what it is. */
export const IPV6_RANGES: readonly AddressRange[] = [
  { first: "fd00:ec2::254", bits: 128, what: "the metadata address of cloud machines" },
  { first: "fd20:ce::254", bits: 128, what: "the metadata address of cloud machines" },
  { first: "::", bits: 128, what: "an address of this machine" },
  { first: "::1", bits: 128, what: LOOPBACK },
  { first: "fc00::", bits: 7, what: PRIVATE },
  { first: "fe80::", bits: 10, what: LINK_LOCAL },
  { first: "fec0::", bits: 10, what: PRIVATE },
  { first: "ff00::", bits: 8, what: "a multicast address" },
  // Teredo, benchmarks, ORCHID and other protocol assignments; none is an ordinary host.
  { first: "2001::", bits: 23, what: RESERVED },
  { first: "2001:db8::", bits: 32, what: RESERVED },
  { first: "3fff::", bits: 20, what: RESERVED },
];

/** Global unicast addresses of IPv6. */
export const IPV6_GLOBAL: AddressRange = { first: "2000::", bits: 3, what: "" };

/** IPv6 addresses that lead to an IPv4 address: where its four bytes begin. */
export const IPV4_IN_IPV6: readonly (AddressRange & { readonly offset: number })[] = [
  { first: "64:ff9b::", bits: 96, what: "NAT64", offset: 12 },
  { first: "2002::", bits: 16, what: "6to4", offset: 2 },
];
