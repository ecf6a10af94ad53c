/** Why a competitor has no row that takes part in a scenario, but is none of its contenders and was not asked for. */
export const NO_CONTENDER = "no contender";

/** "1 other", "7 others": the competitors that are no contenders of a scenario. */
export function othersText(count: number): string {
  return `${count} other${count === 1 ? "" : "s"}`;
}

/** What a reader does to race them. */
export const RACING_OTHERS = "to race them, add --all or name them";
