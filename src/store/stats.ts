/** All sessions of a store, counted. */
import type { Database } from "./database.ts";
import { type StoreStats, TOKEN_SUMS, toUsage } from "./record.ts";

export function storeStats(db: Database): StoreStats {
  const sources = db.all(
    "SELECT source, count(*) AS n FROM sessions GROUP BY 1 ORDER BY 1",
  );
  const span = db.get("SELECT min(created_at) AS a, max(updated_at) AS b FROM sessions")!;
  const count = db.get("SELECT count(*) AS n FROM messages")!;
  const size = db.get(
    "SELECT page_count * page_size AS n FROM pragma_page_count, pragma_page_size",
  )!;
  return {
    sessions: sources.reduce((sum, row) => sum + (row["n"] as number), 0),
    messages: count["n"] as number,
    sessionsBySource: Object.fromEntries(sources.map((row) => [row["source"], row["n"]])),
    usage: toUsage(db.get(`SELECT ${TOKEN_SUMS} FROM usage`)!),
    ...(span["a"] !== null && { oldestAt: span["a"] as number, newestAt: span["b"] as number }),
    bytes: size["n"] as number,
  };
}
