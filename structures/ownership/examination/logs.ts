import fc from "fast-check";
import {
  type Capacity,
  type ChangeLog,
  type ChangesCompetitor,
  formatted,
  NOBODY,
} from "../ownership.contract.ts";
import { type Answer, answersFollowChanges, type Change } from "../ownership.laws.ts";
import { broken, FIXED } from "./searches.ts";

/** The same as searches.ts, for structures that hear changes. */

/** Few owners and resources, so that changes meet. */
export const FEW: Capacity = { resources: 2, owners: 3, windowMs: 64, ranges: 128 };

export function openLog(competitor: ChangesCompetitor): ChangeLog {
  const { memory, linear } = formatted(competitor, FEW);
  return competitor.attach(memory, FEW, { index: 0, workers: 1, role: "worker", seed: 1 }, linear);
}

const STEP_MS = 20_000;
/** A few steps, and single milliseconds. */
const laterMs = fc
  .tuple(fc.constantFrom(0, 0, 1, 2, 5), fc.constantFrom(0, 0, 0, 1, 2))
  .map(([steps, ms]) => steps * STEP_MS + ms);
/**
 * What happened so long before it arrived, so long after the one before arrived; or a watermark so far from the last
 * arrival.
 */
const events = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        resource: fc.nat({ max: FEW.resources - 1 }),
        owner: fc.integer({ min: NOBODY, max: FEW.owners - 1 }),
        laterMs,
        agoMs: laterMs,
      }),
    },
    { weight: 1, arbitrary: fc.record({ trimAgoMs: laterMs }) },
  ),
  { maxLength: 14 },
);

/** Where histories begin, so that nothing happens before 0. */
const BEGIN_MS = 10 * STEP_MS;

function randomChanges(competitor: ChangesCompetitor): string | undefined {
  return broken((report) =>
    fc.assert(
      fc.property(events, (history) => {
        const log = openLog(competitor);
        const changes: Change[] = [];
        let now = BEGIN_MS;
        let watermark = 0;
        for (const event of history) {
          if ("trimAgoMs" in event) {
            watermark = Math.max(watermark, now - event.trimAgoMs);
            log.trim(now - event.trimAgoMs);
          } else {
            now += event.laterMs;
            const { resource, owner } = event;
            const at = now - event.agoMs;
            changes.push({ resource, owner, at, arrivedAt: now });
            log.change(resource, owner, at, now);
          }
          report(
            answersFollowChanges(competitor.rule, changes, watermark, answersOf(log, changes, watermark)),
          );
        }
      }),
      FIXED,
    ),
  );
}

/** Lookups around everything that may make a difference. */
function answersOf(log: ChangeLog, changes: readonly Change[], watermark: number): Answer[] {
  const edges = new Set([0, BEGIN_MS, watermark, ...changes.flatMap(({ at, arrivedAt }) => [at, arrivedAt])]);
  const answers: Answer[] = [];
  for (let resource = 0; resource < FEW.resources; resource++)
    for (const edge of edges)
      for (const t of [edge - 1, edge, edge + 1])
        answers.push({ resource, t, said: log.ownerAt(resource, t) });
  return answers;
}

export const LAWS_OF_LOGS: Record<string, (competitor: ChangesCompetitor) => string | undefined> = {
  answersFollowChanges: randomChanges,
};
