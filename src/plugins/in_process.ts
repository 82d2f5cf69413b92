/**
 * A plugin the operator trusts with everything (`trust: full`): loaded into hermes itself, with
 * all its permissions and none of the walls. Speaks the same messages as one in a process.
 */
import type { GuestLink } from "./conversation.ts";
import { startGuest } from "./guest.ts";
import type { GuestMessage, HostMessage } from "./messages.ts";

const before = { ...console };
let running = 0;

/** Loads nothing yet: the first message does. What it prints becomes log lines until it is closed. */
export function startInProcess(): GuestLink {
  running++;
  let isOpen = true;
  let toGuest: (message: HostMessage) => void = () => {};
  let toHost: (message: GuestMessage) => void = () => {};
  startGuest({
    // Copied, so that neither side can hold on to the other's objects.
    send: (message) => toHost(structuredClone(message)),
    receive: (listener) => toGuest = listener,
    load: (url) => import(url),
  });
  const closed = Promise.withResolvers<string>();
  return {
    send: (message) => queueMicrotask(() => toGuest(structuredClone(message))),
    serve(onMessage) {
      toHost = (message) => onMessage(message, 0);
      return closed.promise;
    },
    close() {
      toHost = () => {};
      if (isOpen && --running === 0) Object.assign(console, before);
      isOpen = false;
      closed.resolve("it was closed");
      return Promise.resolve();
    },
  };
}
