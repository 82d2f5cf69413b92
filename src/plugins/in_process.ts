/**
 * A plugin the operator trusts with everything (`trust: full`): loaded into hermes itself, with
 * all its permissions and none of the walls. Speaks the same messages as one in a process.
 */
import type { GuestLink } from "./conversation.ts";
import { startGuest } from "./guest.ts";
import type { GuestMessage, HostMessage } from "./messages.ts";

/** Loads nothing yet: the first message does. */
export function startInProcess(): GuestLink {
  let toGuest: (message: HostMessage) => void = () => {};
  let toHost: (message: GuestMessage) => void = () => {};
  startGuest({
    // Copied, so that neither side can hold on to the other's objects.
    send: (message) => toHost(structuredClone(message)),
    receive: (listener) => toGuest = listener,
    load: (url) => import(url),
    ownsConsole: false,
  });
  const closed = Promise.withResolvers<string>();
  return {
    send: (message) => queueMicrotask(() => toGuest(structuredClone(message))),
    serve(onMessage) {
      toHost = onMessage;
      return closed.promise;
    },
    close() {
      toHost = () => {};
      closed.resolve("it was closed");
      return Promise.resolve();
    },
  };
}
