/**
 * Attempts to reach the network, by what `--network` says. Listeners on this machine stand for
 * other machines; `$OTHER` is an address of this machine that is not of the loopback network.
 */
import type { Expectation, NetworkName, NetworkRow } from "./_escape_row.ts";

type ByNetwork = Readonly<Record<NetworkName, Expectation>>;

/**
 * Reaching a service of this machine that runs outside. Where namespaces are allowed, `loopback`
 * is a loopback network of the commands' own.
 */
const LOCAL: ByNetwork = { on: "allowed", loopback: "recorded", off: "refused", hosts: "refused" };
/** Servers and their clients, both behind the walls. */
const OWN: ByNetwork = { on: "allowed", loopback: "allowed", off: "refused", hosts: "refused" };
/** Reaching this machine by an address that others use too. */
const REMOTE: ByNetwork = { on: "allowed", loopback: "recorded", off: "refused", hosts: "refused" };
/** No list of hosts can bound it, so it goes with the first limit. */
const UNBOUNDED: ByNetwork = {
  on: "allowed",
  loopback: "recorded",
  off: "refused",
  hosts: "refused",
};
/** What ordinary work does not need. */
const SPECIAL: ByNetwork = {
  on: "recorded",
  loopback: "refused",
  off: "refused",
  hosts: "refused",
};
const HARMLESS: ByNetwork = {
  on: "recorded",
  loopback: "recorded",
  off: "recorded",
  hosts: "recorded",
};

export const NETWORK_ESCAPES: readonly NetworkRow[] = [
  {
    id: "tcp4",
    attempt: "$E tcp 127.0.0.1 $TCP4 $ID",
    effect: { contact: "tcp4" },
    network: LOCAL,
  },
  { id: "tcp6", attempt: "$E tcp ::1 $TCP6 $ID", effect: { contact: "tcp6" }, network: LOCAL },
  {
    id: "tcp-mapped",
    attempt: "$E tcp ::ffff:127.0.0.1 $TCP4 $ID",
    effect: { contact: "tcp4" },
    network: LOCAL,
  },
  {
    id: "tcp-any",
    attempt: "$E tcp 0.0.0.0 $TCP4 $ID",
    effect: { contact: "tcp4" },
    network: LOCAL,
  },
  {
    id: "tcp-bash",
    attempt: "echo -n $ID > /dev/tcp/127.0.0.1/$TCP4",
    effect: { contact: "tcp4" },
    network: LOCAL,
  },
  {
    id: "tcp-fastopen",
    attempt: "$E tcp-fastopen 127.0.0.1 $TCP4 $ID",
    effect: { contact: "tcp4" },
    network: LOCAL,
    control: "the system may have it switched off",
  },
  {
    id: "mptcp",
    attempt: "$E mptcp 127.0.0.1 $TCP4 $ID",
    effect: { contact: "tcp4" },
    network: { ...LOCAL, on: "recorded", loopback: "recorded" },
    control: "the kernel may have none",
  },
  {
    id: "tcp-without-proxy",
    attempt: "curl -s --noproxy '*' -m 3 http://127.0.0.1:$TCP4/$ID",
    effect: { contact: "tcp4" },
    network: LOCAL,
    needs: ["curl"],
  },
  {
    id: "tcp-as-announced",
    attempt: "curl -s -m 3 http://127.0.0.1:$TCP4/$ID",
    effect: { contact: "tcp4" },
    network: LOCAL,
    needs: ["curl"],
  },
  {
    id: "tcp-other",
    attempt: "$E tcp $OTHER $TCP_OTHER $ID",
    effect: { contact: "other" },
    network: REMOTE,
    needs: ["other-address"],
  },
  {
    id: "udp-other",
    attempt: "$E udp $OTHER $UDP_OTHER $ID",
    effect: { contact: "udp-other" },
    network: REMOTE,
    needs: ["other-address"],
  },
  {
    id: "udp",
    attempt: "$E udp 127.0.0.1 $UDP4 $ID",
    effect: { contact: "udp4" },
    network: UNBOUNDED,
  },
  {
    id: "udp-sendto",
    attempt: "$E udp-sendto 127.0.0.1 $UDP4 $ID",
    effect: { contact: "udp4" },
    network: UNBOUNDED,
  },
  {
    id: "udp-sendmsg",
    attempt: "$E udp-sendmsg 127.0.0.1 $UDP4 $ID",
    effect: { contact: "udp4" },
    network: UNBOUNDED,
  },
  {
    id: "udp-sendmmsg",
    attempt: "$E udp-sendmmsg 127.0.0.1 $UDP4 $ID",
    effect: { contact: "udp4" },
    network: UNBOUNDED,
  },
  { id: "udp6", attempt: "$E udp ::1 $UDP6 $ID", effect: { contact: "udp6" }, network: UNBOUNDED },
  {
    id: "udp-bash",
    attempt: "echo -n $ID > /dev/udp/127.0.0.1/$UDP4",
    effect: { contact: "udp4" },
    network: UNBOUNDED,
  },
  {
    id: "udp-lite",
    attempt: "$E udp-lite",
    effect: "says",
    network: { ...SPECIAL, loopback: "recorded" },
    control: "the kernel may have none",
  },
  { id: "raw", attempt: "$E raw", effect: "says", network: SPECIAL, needs: ["root"] },
  { id: "packet", attempt: "$E packet", effect: "says", network: SPECIAL, needs: ["root"] },
  {
    id: "ping",
    attempt: "$E ping",
    effect: "says",
    network: SPECIAL,
    control: "the system may give it to some groups alone",
  },
  {
    id: "vsock",
    attempt: "$E vsock",
    effect: "says",
    network: SPECIAL,
    control: "the kernel may have none",
  },
  {
    id: "netlink",
    attempt: "$E netlink",
    effect: "says",
    network: HARMLESS,
    note: "reads which interfaces there are",
  },
  { id: "listen4", attempt: "$E listen 127.0.0.1", effect: "says", network: OWN },
  { id: "listen6", attempt: "$E listen ::1", effect: "says", network: OWN },
  {
    id: "unix-socket",
    attempt: "$E unix $HOME/.gnupg/S.gpg-agent $ID",
    effect: { contact: "gpg" },
    network: { on: "refused", loopback: "refused", off: "refused", hosts: "refused" },
  },
  {
    id: "abstract-socket",
    attempt: "$E abstract $ABSTRACT $ID",
    effect: { contact: "abstract" },
    network: { on: "refused", loopback: "refused", off: "refused", hosts: "refused" },
  },
];
