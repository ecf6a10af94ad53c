import { isBroken } from "../shared/broken.ts";
import {
  brokenLaws,
  EVERYBODY_FINISHES,
  type Glimpse,
  type Law,
  NOBODY_IS_HELD_UP,
  type Part,
} from "../shared/program-laws.ts";
import { workerIdentity } from "../shared/worker-identity.ts";
import type { PickCompetitor, Picker, PickSetup } from "./pick.contract.ts";
import { attachPicker, makePicker, type PickInstance } from "./pick.instance.ts";
import { inFlightIsConserved } from "./pick.laws.ts";

/**
 * Every interleaving of workers that report outcomes of one backend, and of workers that meet a backend due for a
 * trial, on the picker's own code. The clock stands still meanwhile.
 */
export const ejectionModelLaws = [
  ...["outcomesAddUp", "oneIsOnTrial", "trialsAreMade", "inFlightIsConserved"],
  ...[EVERYBODY_FINISHES, NOBODY_IS_HELD_UP],
] as const;
export type EjectionModelLaw = (typeof ejectionModelLaws)[number];

/** Of two backends the one whose requests fail. */
const FAILING = 0;
const OTHER = 1;
/** Under way at the other while workers pick, so that a picker by load finds the failing one idle. */
const UNDER_WAY = 2;
const WORKERS = 2;
/** Times are kept modulo 2^30: what is due at this one, a pick finds due after they have wrapped. */
const LAST_MS = 2 ** 30 - 1;

/** One sentence for each law that is broken. With `until`, ends where it finds that law broken. */
export function exploreEjections(competitor: PickCompetitor, until?: EjectionModelLaw): string[] {
  const { forMs } = competitor.ejects!;
  const trials = [forMs, LAST_MS].flatMap((dueMs) => exploreTrials(competitor, dueMs, until));
  return [...exploreOutcomes(competitor, until), ...trials];
}

/** Two failures short of ejection, two workers report one each, and one of them a success before that. */
function exploreOutcomes({ ejects }: PickCompetitor, until: EjectionModelLaw | undefined): string[] {
  const { failures, byClock } = ejects!;
  const competitor = byClock(() => 0);
  const { instance, fail } = prepared(competitor);
  fail(failures - WORKERS);
  const reporting = (outcomes: readonly boolean[]) =>
    lifeOf(competitor, instance, (picker, note) => {
      for (const failed of outcomes) {
        picker.take!(FAILING);
        picker.release!(FAILING, failed);
      }
      note();
    });
  const isEjected = ({ memory }: Glimpse) =>
    competitor.inspect(memory, instance.setup).ejected!.includes(FAILING);
  const both: Law<EjectionModelLaw> = {
    name: "outcomesAddUp",
    end: (seen) => (isEjected(seen) ? undefined : `${failures} failures were reported and it is not ejected`),
  };
  const less: Law<EjectionModelLaw> = {
    name: "outcomesAddUp",
    end: (seen) =>
      isEjected(seen) ? `${failures} failures less a success were reported and it is ejected` : undefined,
  };
  const program = (...reports: readonly (readonly boolean[])[]) => ({
    memory: instance.memory,
    threads: reports.map((outcomes, index) => [reporting(outcomes)(index)]),
  });
  return [
    ...brokenLaws(program([true], [true]), [both], until),
    ...brokenLaws(program([false, true], [true]), [less], until),
    ...brokenLaws({ ...program([true], [true]), mortal: 0 }, [], until),
  ];
}

/** The failing backend is due since a millisecond, and both workers pick. */
function exploreTrials(
  { ejects }: PickCompetitor,
  dueMs: number,
  until: EjectionModelLaw | undefined,
): string[] {
  const { failures, forMs, byClock } = ejects!;
  const { instance, fail } = prepared(byClock(() => dueMs - forMs));
  fail(failures);
  const competitor = byClock(() => dueMs + 1);
  const busy = attachPicker(competitor, instance, WORKERS);
  for (let request = 0; request < UNDER_WAY; request++) busy.take!(OTHER);
  const picking = lifeOf(competitor, instance, (picker, note) => note(picker.pick()));
  const picksOf = ({ threads }: Glimpse) => threads.flatMap(({ notes }) => notes);
  const trialsOf = (seen: Glimpse) => picksOf(seen).filter((backend) => backend === FAILING).length;
  const laws: Law<EjectionModelLaw>[] = [
    {
      name: "oneIsOnTrial",
      state: (seen) => (trialsOf(seen) > 1 ? `${trialsOf(seen)} requests are on trial` : undefined),
    },
    { name: "trialsAreMade", end: (seen) => (trialsOf(seen) === 0 ? "no request was on trial" : undefined) },
    {
      name: "inFlightIsConserved",
      end: (seen) =>
        inFlightIsConserved({
          setup: instance.setup,
          state: competitor.inspect(seen.memory, instance.setup),
          perWorker: [{ picks: 0, checksum: 0, counters: { inFlight: UNDER_WAY + picksOf(seen).length } }],
        }),
    },
  ];
  const program = { memory: instance.memory, threads: [[picking(0)], [picking(1)]] };
  const broken = brokenLaws(program, laws, until);
  if (until !== undefined && isBroken(until, broken)) return broken;
  return [...broken, ...brokenLaws({ ...program, mortal: 0 }, [], until)];
}

/** An instance for the workers and one more, by which requests can be reported as failed. */
function prepared(competitor: PickCompetitor) {
  const instance = makePicker(competitor, { backends: 2, workers: WORKERS + 1, seed: 3 });
  const { memory, setup } = instance;
  const picker = competitor.attach(memory, setup, workerIdentity(WORKERS, setup.workers, setup.seed));
  const fail = (requests: number) => {
    for (let request = 0; request < requests; request++) {
      picker.take!(FAILING);
      picker.release!(FAILING, true);
    }
  };
  return { instance, fail };
}

function lifeOf(
  competitor: PickCompetitor,
  { setup }: PickInstance,
  live: (picker: Picker, note: (...results: number[]) => void) => void,
): (index: number) => Part {
  return (index) =>
    (memory, { note }) =>
      live(
        competitor.attach(memory, setup as PickSetup, workerIdentity(index, setup.workers, setup.seed)),
        note,
      );
}
