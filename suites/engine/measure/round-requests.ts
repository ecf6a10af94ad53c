import { Random } from "../../../structures/shared/sfc32.ts";
import { derivedSeed } from "../../../structures/shared/worker-identity.ts";
import type { MeasureOrder } from "./crew.ts";
import type { GroupPlan } from "./plan.ts";

/** Rounds from one in which CPU time is asked for to the next. Asking takes 17 us for each worker, while nobody runs. */
const ROUNDS_PER_CPU_TIME = 5;
/** The fewest rounds in which CPU time is asked for, in a fork that has as many without accounts. */
const FEWEST_ROUNDS_WITH_CPU_TIME = 4;

/**
 * What a fork asks of its crews in one of its rounds, beside slices. All give an account in the first round and in the last,
 * and in one of each `accountEvery`, which `seed` chooses: a competitor that knew when it is looked at could do its work
 * then and at no other time. CPU time is asked for in others, because an account takes some itself.
 */
export function requestsIn(
  index: number,
  isLast: boolean,
  { rounds, accountEvery }: Pick<GroupPlan, "rounds" | "accountEvery">,
  seed: number,
): Pick<MeasureOrder, "account" | "withCpu"> {
  // The first and the last have accounts.
  const fitting = Math.floor((rounds - 2) / FEWEST_ROUNDS_WITH_CPU_TIME);
  // Odd, because every second round is the reverse of the one before: both kinds have their part.
  const every = Math.min(ROUNDS_PER_CPU_TIME, Math.max(1, fitting - ((fitting + 1) % 2)));
  const isForCpu = (round: number) => round % every === every >> 1;
  const stretch = Math.floor(index / accountEvery);
  const around = Array.from({ length: accountEvery }, (_, round) => stretch * accountEvery + round);
  const free = around.filter((round) => !isForCpu(round));
  const [chosen] = new Random(derivedSeed(seed, stretch)).shuffle(free.length > 0 ? free : around);
  const account = isLast || index === 0 || (rounds >= accountEvery && index === chosen);
  return { account, withCpu: !account && isForCpu(index) };
}
