/** Which sessions are meant: as conditions and parameters of a query. */

export interface SessionFilter {
  source?: string;
  cwd?: string;
  /** Last used before this instant. */
  before?: number;
}

export type FilterParam = string | number | null;

export const FILTERED = "(?1 IS NULL OR source = ?1) AND (?2 IS NULL OR cwd = ?2) " +
  "AND (?3 IS NULL OR updated_at < ?3)";

export function filterParams(filter: SessionFilter): FilterParam[] {
  return [filter.source ?? null, filter.cwd ?? null, filter.before ?? null];
}
