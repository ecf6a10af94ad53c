import { derivedSeed, Random } from "../../words/random.ts";
import { type CrewPlan, type GroupPlan, isContestant } from "./plan.ts";
import type { MeasureOrder } from "./protocol.ts";

/** In what order the crews of a process run, and what they are asked for beside slices. */

/** The engine's own crews show the state of the machine, and need not run in every round. */
export const OWN_CREWS_EVERY = 4;
/**
 * Laws are checked on totals, so that nothing is missed between two looks. A look at a structure of some megabytes takes as
 * long as a few slices. A multiple of OWN_CREWS_EVERY, so that the engine's own crews have theirs.
 */
export const ROUNDS_PER_ACCOUNT = 20;

/**
 * In which order the crews of a fork run, as indices, round by round, drawn anew for each. No crew has a place of its own: the
 * baseline and its A/A controls run once a round, as every rival does. Every odd round is the reverse of the one before, so
 * that each crew runs before and after each other equally often. The engine's own crews run at the end of every fourth
 * round, and at the beginning of its reverse.
 */
export function roundOrders(
  crews: readonly Pick<CrewPlan, "kind">[],
  rounds: number,
  seed: number,
): number[][] {
  const random = new Random(seed);
  const indices = [...crews.keys()];
  const contestants = indices.filter((crew) => isContestant(crews[crew]!));
  const own = indices.filter((crew) => !contestants.includes(crew));
  const orders: number[][] = [];
  while (orders.length < rounds) {
    const order = [
      ...random.shuffle([...contestants]),
      ...(orders.length % OWN_CREWS_EVERY === 0 ? random.shuffle([...own]) : []),
    ];
    orders.push(order, order.toReversed());
  }
  return orders.slice(0, rounds);
}

/** Rounds from one in which CPU time is asked for to the next. Asking takes 17 us for each worker, while none runs. */
const ROUNDS_PER_CPU_TIME = 5;
/** The fewest rounds in which CPU time is asked for, in a fork that has as many without accounts. */
const FEWEST_ROUNDS_WITH_CPU_TIME = 4;

/**
 * What a fork asks of its crews in one of its rounds, beside slices. All give an account in the first round and in the
 * last, and in one of each `accountEvery`, which `seed` chooses. A competitor that knew when it is looked at could do
 * its work then and at no other time. CPU time is asked for in others, because an account takes some itself.
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
