/** Lazy import of npm `zod`, 40 ms to load: never on the way to the first request. */
export { z } from "zod";
