/** Hears other programs of the runtime. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const heard = [];
const channel = new BroadcastChannel("hermes");
channel.onmessage = ({ data }) => heard.push(data);
channel.postMessage("x");
await new Promise((resolve) => setTimeout(resolve, 50));
channel.close();
return heard[0];`,
});
