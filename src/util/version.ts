/** The one place that names the version in code; a test keeps it equal to `deno.json`. */

export const VERSION = "0.1.0";
