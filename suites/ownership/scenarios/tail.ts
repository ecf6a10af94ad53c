import { tail } from "../../shared/vocabulary.ts";
import { Writer } from "../window.ts";
import { readerOf, SHORT_ROW_MS, windowRace } from "../window-races.ts";

/** Slow enough for trees, whose trims are slow, to come back from a trim long before the next. */
const INTERVAL_US = 10;
/** A claim that is looked at besides would be one of the slow ones. */
const NO_SAMPLES = Number.POSITIVE_INFINITY;

/** A process has seven trims, each behind 16,384 claims. */
export default [1, 2, 4].map((workers) => {
  const beside = workers === 1 ? "by one worker alone" : "beside readers";
  const race = windowRace(
    {
      scenario: "one-writer-small",
      title: `claims of 1,024 addresses ${beside}, a trim of all of them every 16,384 claims`,
      operation: "lookup or claim",
      full: { resources: 1024, rowMs: SHORT_ROW_MS, lookups: 2 ** 14 },
      ...(workers === 1 ? { mostWorkers: 1 } : {}),
    },
    {},
    (ownership, shared, params, worker) =>
      workers === 1 || worker.role === "writer"
        ? new Writer(ownership, shared, params, NO_SAMPLES)
        : readerOf(ownership, shared, params, worker),
  );
  return tail(race, {
    family: "tail",
    workers,
    ...(workers === 1 ? {} : { role: "writer" }),
    intervalUs: INTERVAL_US,
    count: { full: 120_000, smoke: 2_000 },
  });
});
