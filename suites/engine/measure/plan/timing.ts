import { sum } from "../../statistics.ts";
import { type GroupTimes, type RunTimes, sharesOf } from "./estimate.ts";
import { type CrewPlan, type GroupPlan, isContestant, type Plan, type Profile } from "./plan.ts";
import { OWN_CREWS_EVERY } from "./rounds.ts";

/** How long slices, rounds, processes and runs are. All constants of time stand here. */

/**
 * Fewer than four processes hardly show how processes differ. More than the most are better spent on a quieter machine.
 */
export const FEWEST_FORKS = 4;
/**
 * Of groups that are published, if each worker has a core: answers quote them, and with eight processes an interval depends
 * less on how they are distributed. With more workers than cores eight would take hours.
 */
export const FEWEST_PUBLISHED_FORKS = 8;
export const MOST_FORKS = 64;

/**
 * Length of a slice, in us. A machine's state lasts 20 to 80 ms, so that a round of sixteen slices of less than half a
 * millisecond mostly sees one. Waking a thread and hearing from it take 0.15 ms on a virtual machine, whatever the
 * length. Shorter slices would measure for less than half of the time.
 */
const SLICE_US = 400;
/**
 * Two workers take longer to be woken, to meet and to park. In slices twice as long equals agreed two to three times as
 * well from fork to fork. A lock cost 109 ns where it cost 103: more of what is measured is queueing, and less is
 * beginning to.
 */
const CONTENDED_SLICE_US = 800;
/**
 * In us. A crew that ran some milliseconds ago finds code and data in farther caches than one that ran just now.
 * Without a ramp through the window's own code that costs 0.3 %. Longer ramps change no more.
 */
const SHORT_RAMP_US = 30;
/**
 * Slices of working sets beyond the caches are this long or longer, in us. It should be worth copying such a set in,
 * and out again. Ratios of such slices are of means (see METHOD.md).
 */
export const LARGE_SLICE_US = 2_000;
/**
 * Objects stay where they are, and other crews have had the caches since. A worker runs operations for this long, in
 * us, before its window opens.
 */
const REFILL_US = 3_000;
const REFILLED_SLICE_US = 3_000;
/** A slice with more workers than cores lasts some scheduler quanta, so that every worker runs in it. */
const OVERSUBSCRIBED_SLICE_US = 24_000;

/**
 * Rounds of one process together, in ms. About as long as starting its threads and warming up takes. How V8 came to
 * compile a crew differs more from process to process than from round to round. So another process shows more.
 */
const FORK_SLICES_MS = 800;
/** What several workers cost drifts by the second, and their threads take twice as long to start. */
const CONTENDED_FORK_SLICES_MS = 1_400;
const LARGE_FORK_SLICES_MS = 1_500;
const UNMOVED_FORK_SLICES_MS = 1_000;
const FEWEST_ROUNDS = 16;
const MOST_ROUNDS = 400;
/** A state of the machine lasts 20 to 80 ms. */
const LONGEST_OF_ONE_STATE_US = 10_000;
/** A fork that has seen too little of the quiet state goes on for up to this multiple of its rounds. */
const MOST_TIMES_ROUNDS = 3;

/** From a wake to the window and from its end to the coordinator, in us: for estimates. */
const BETWEEN_SLICES_US = 110;
/** What a slice takes longer that its fork orders from another process, in us: 40 to 120 were seen. */
const ACROSS_PROCESSES_US = 80;
/** What a core copies in a microsecond, of sets of some megabytes. */
const COPIED_BYTES_PER_US = 4_000;

/** How long the slices of a group are, how many rounds of them a fork has, and how many forks there may be. */
export function timing(
  { exactly, fewestForks = FEWEST_FORKS }: Profile,
  {
    isLarge,
    placement,
    leastSliceUs,
  }: { readonly isLarge: boolean; readonly placement: GroupPlan["placement"]; readonly leastSliceUs: number },
  workers: number,
  cores: number,
  crews: readonly CrewPlan[],
  bytes: number,
) {
  const oversubscribed = workers > cores;
  const smallUs = workers === 1 ? SLICE_US : CONTENDED_SLICE_US;
  const usualUs = !isLarge ? smallUs : placement === "arena" ? LARGE_SLICE_US : REFILLED_SLICE_US;
  const sliceUs = Math.max(usualUs, leastSliceUs, oversubscribed ? OVERSUBSCRIBED_SLICE_US : 0);
  const rampUs = isLarge && placement === "own" ? REFILL_US : SHORT_RAMP_US;
  const group = { crews, sliceUs, rampUs, oversubscribed, bytes, placement };
  return {
    oversubscribed,
    sliceUs,
    rampUs,
    ...roundsOf(group, isLarge, exactly),
    ...(exactly?.warmUpSlices === undefined ? {} : { warmUpSlices: exactly.warmUpSlices }),
    fewestForks: oversubscribed ? FEWEST_FORKS : fewestForks,
    forks: exactly?.forks ?? MOST_FORKS,
  };
}

/** How many rounds of slices make a fork. */
export function roundsOf(
  group: TimedGroup,
  isLarge: boolean,
  exactly: Profile["exactly"],
): Pick<GroupPlan, "rounds" | "mostRounds"> {
  const { crews, oversubscribed } = group;
  if (exactly !== undefined) return { rounds: exactly.rounds, mostRounds: exactly.rounds };
  const isAlone = crews.every(({ workers }) => workers === 1);
  const smallForkMs = isAlone ? FORK_SLICES_MS : CONTENDED_FORK_SLICES_MS;
  const largeForkMs = group.placement === "arena" ? LARGE_FORK_SLICES_MS : UNMOVED_FORK_SLICES_MS;
  const forkMs = isLarge || oversubscribed ? largeForkMs : smallForkMs;
  const fitting = 2 * Math.round((1000 * forkMs) / roundUs(group) / 2);
  const rounds = Math.min(MOST_ROUNDS, Math.max(FEWEST_ROUNDS, fitting));
  // Two cores are seldom quiet at once, far memory costs about the same in either state, and a long slice sees both.
  const isWorthWaiting = isAlone && group.placement === "arena" && group.sliceUs <= LONGEST_OF_ONE_STATE_US;
  return { rounds, mostRounds: isWorthWaiting ? MOST_TIMES_ROUNDS * rounds : rounds };
}

/** What the length of a round depends on. */
type TimedGroup = Pick<GroupPlan, "crews" | "sliceUs" | "rampUs" | "oversubscribed" | "bytes" | "placement">;

/** How long a round takes in the fork itself, in us. */
function roundUs(group: TimedGroup): number {
  const { crews, sliceUs, rampUs, oversubscribed, bytes, placement } = group;
  const copiedUs = placement === "arena" ? (2 * bytes) / crews.length / COPIED_BYTES_PER_US : 0;
  // Where workers must take turns on the cores, getting all of them through the gate and out again takes their turns.
  const betweenUs = oversubscribed
    ? 2_000 * Math.max(...crews.map(({ workers }) => workers))
    : BETWEEN_SLICES_US;
  return slicesPerRound(group) * (sliceUs + rampUs + copiedUs + betweenUs);
}

/** How many slices a round has, of all crews together. */
function slicesPerRound({ crews }: Pick<TimedGroup, "crews">): number {
  const contestants = crews.filter(isContestant).length;
  return Math.max(1, contestants + (crews.length - contestants) / OWN_CREWS_EVERY);
}

/** How long a fork of this group takes, in ms, on a machine like the ones the method was made on. */
export function forkEstimateMs(group: TimedGroup & Pick<GroupPlan, "rounds" | "beyondSlicesMs">): number {
  const processStartMs = 250;
  const threadStartMs = 35;
  const warmUpMs = 10;
  // Where crews do not share memory, each makes a large set of its own.
  const largeSetMs = group.rampUs === REFILL_US ? 200 : 0;
  // Several workers take longer to be woken and to meet than a round has room for.
  const meetingUs = group.crews.some(({ workers }) => workers > 1) ? 350 : 0;
  const threads = group.crews.reduce((sum, { workers }) => sum + workers, 0);
  const remoteShare = group.crews.filter(({ remote }) => remote !== undefined).length / group.crews.length;
  const besidesUs = slicesPerRound(group) * (remoteShare * ACROSS_PROCESSES_US + meetingUs);
  const slicesMs = (group.rounds * (roundUs(group) + besidesUs)) / 1000;
  const processes = 1 + new Set(group.crews.flatMap(({ remote }) => remote?.name ?? [])).size;
  const racing = group.crews.filter(({ url }) => url !== undefined).length;
  const crewsMs = group.crews.length * warmUpMs + racing * largeSetMs;
  const { beyondSlicesMs = 0 } = group;
  return processes * processStartMs + threads * threadStartMs + crewsMs + slicesMs + beyondSlicesMs;
}

/** What a round of this group adds to a fork, in ms. */
export function roundEstimateMs(group: Parameters<typeof forkEstimateMs>[0]): number {
  return (forkEstimateMs(group) - forkEstimateMs({ ...group, rounds: 0, beyondSlicesMs: 0 })) / group.rounds;
}

/** A group's part of what a budget has beyond its fewest forks, in cells: with larger sets or longer slices they count double. */
export function weightOf({ crews, sliceUs }: Pick<GroupPlan, "crews" | "sliceUs">): number {
  return crews.filter(({ url }) => url !== undefined).length * (sliceUs > CONTENDED_SLICE_US ? 2 : 1);
}

/** What a profile gives all these groups, in ms. */
export function budgetOf({ secondsPerCell, exactly }: Profile, groups: readonly GroupPlan[]): number {
  if (exactly !== undefined) return Number.POSITIVE_INFINITY;
  return 1000 * secondsPerCell * groups.reduce((sum, group) => sum + weightOf(group), 0);
}

/** How long each group of a plan takes, in ms. */
export function groupSharesMs({ groups, budgetMs }: Pick<Plan, "groups" | "budgetMs">): number[] {
  return sharesOf(budgetMs, groups.map(groupTimes));
}

/** What is left of a plan's races once the first groups are `done`. */
export function raceTimes(plan: Plan, done: number): Pick<RunTimes, "budgetMs" | "groups"> {
  return {
    budgetMs: done === 0 ? plan.budgetMs : sum(groupSharesMs(plan).slice(done)),
    groups: plan.groups.slice(done).map(groupTimes),
  };
}

function groupTimes(group: GroupPlan): GroupTimes {
  const { forks } = group;
  const fewest = Math.min(group.fewestForks, forks);
  return { weight: weightOf(group), forkMs: forkEstimateMs(group), fewest, most: forks };
}
