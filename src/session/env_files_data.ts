/** Files in a session's directory that hold secrets by name. */

/** What frameworks read; examples and templates hold no secrets. */
export const ENV_FILES: readonly string[] = [
  ".env",
  ".env.local",
  ".env.development",
  ".env.production",
  ".env.staging",
  ".env.test",
  ".envrc",
];
