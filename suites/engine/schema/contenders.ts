/** Why a competitor has no row that takes part in a scenario, but is none of its contenders and was not asked for. */
export const NO_CONTENDER = "no contender";

/** Of so many who are no contenders. */
export function othersText(count: number): string {
  return `${count} other${count === 1 ? "" : "s"}`;
}

/** How these come to race. */
export const RACING_OTHERS = "to race them, add --all or name them";
