import type { RunFacts } from "../../engine/schema/envelope.ts";

/** Phrases that tables, pictures and pages have in common. */

export function workersText(workers: number): string {
  return `${workers} worker${workers === 1 ? "" : "s"}`;
}

/** Some worker counts, in order. */
export function countsText(counts: readonly number[]): string {
  return counts.length === 1 ? workersText(counts[0]!) : `${counts.join(", ")} workers`;
}

export function rangeText(shares: readonly number[]): string {
  if (shares.length === 0) return "none";
  const [least, most] = [Math.min(...shares), Math.max(...shares)].map((share) => (100 * share).toFixed(1));
  return least === most ? `${least} %` : `${least} to ${most} %`;
}

/** Names the commit of a run, where there is one. */
export function commitText(commit: RunFacts["commit"]): string {
  return commit === null ? "no commit" : `commit ${commitHash(commit)}`;
}

/** Names a commit, and says where the working tree was not quite that. */
export function commitHash({ hash, dirty }: NonNullable<RunFacts["commit"]>): string {
  return `${hash.slice(0, 12)}${dirty ? " with uncommitted changes" : ""}`;
}
