import type { MeasureOrder } from "./crew.ts";
import type { GroupPlan } from "./plan.ts";

/** Rounds from one in which CPU time is asked for to the next. Asking takes 17 us for each worker, while nobody runs. */
const ROUNDS_PER_CPU_TIME = 5;
/** The fewest rounds in which CPU time is asked for, in a fork that has as many without accounts. */
const FEWEST_ROUNDS_WITH_CPU_TIME = 4;

/**
 * What a fork asks of its crews in one of its rounds, beside slices. All give an account in the first round, in every
 * `accountEvery`th after it and in the last. CPU time is asked for in others, because an account takes some itself.
 */
export function requestsIn(
  index: number,
  isLast: boolean,
  { rounds, accountEvery }: Pick<GroupPlan, "rounds" | "accountEvery">,
): Pick<MeasureOrder, "account" | "withCpu"> {
  const account = isLast || index % accountEvery === 0;
  // The first and the last have accounts.
  const fitting = Math.floor((rounds - 2) / FEWEST_ROUNDS_WITH_CPU_TIME);
  // Odd, because every second round is the reverse of the one before: both kinds have their part.
  const every = Math.min(ROUNDS_PER_CPU_TIME, Math.max(1, fitting - ((fitting + 1) % 2)));
  return { account, withCpu: !account && index % every === every >> 1 };
}
