/**
 * What a connection of the forward proxy asks its owner: the password, the list as it is now, the
 * way out, and where a refusal is told.
 */
import { allowsHost, type HostPort, type HostRule, ruleText } from "./host_list.ts";
import type { ProxyNetwork } from "./upstream.ts";

export interface ProxyAccess {
  readonly network: ProxyNetwork;
  /** The proxy's own port. */
  readonly ownPort: number;
  /** `credentials` is the value of `Proxy-Authorization`. */
  isAuthorized(credentials: string | undefined): boolean;
  rules(): readonly HostRule[];
  onRefused(target: HostPort, message: string): void;
}

/** Says that a host, or a port of it, is not on the list, and what would allow it. */
export function notListed(target: HostPort, rules: readonly HostRule[]): string {
  const { host, port } = target;
  const what = rules.some((rule) => allowsHost(rule, host))
    ? `port ${port} of the host ${host.text}`
    : `the host ${host.text}`;
  return `${what} is not on the list of --network (to allow it, add ${ruleText(target)})`;
}

/** True when two texts are equal, in a time that does not say where they differ. */
export function isEqualSecret(given: string, wanted: string): boolean {
  let difference = given.length ^ wanted.length;
  for (let i = 0; i < wanted.length; i++) {
    difference |= (given.charCodeAt(i) || 0) ^ wanted.charCodeAt(i);
  }
  return difference === 0;
}
