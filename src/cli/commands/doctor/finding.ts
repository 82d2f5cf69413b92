/** What a check of `hermes doctor` says. */

export interface Finding {
  name: string;
  /** `note` says what is absent and not needed. */
  status: "ok" | "note" | "warn" | "fail";
  detail: string;
  fix?: string;
}
