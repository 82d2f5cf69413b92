/** Lazy import of npm `smol-toml`: checking TOML before it is written. */
export { parse } from "smol-toml";
