import { ARRIVING, ARRIVING_SMOKE, figure, NO_CHANCE } from "../figures.ts";
import { appendedOnly, fleet, HOUR_S } from "../fleets.ts";

export default [
  figure(
    "fixed",
    ["fixed-interval"],
    "1st graph of the source: a fixed interval",
    fleet(),
    ["peak", "low", "spikesApart", "unlikeBefore"],
    NO_CHANCE,
  ),
  figure("jitter-15", ["jitter-15"], "2nd graph of the source: up to 15 s of jitter", fleet(), [
    "firstPeak",
    "lastPeak",
    "bend",
    "worstDeviation",
    "sent",
  ]),
  figure("jitter-300", ["jitter-300"], "3rd graph of the source: up to 300 s of jitter", fleet(), [
    "mean",
    "meanOfTenSeconds",
    "waveFallsToTenth",
    "peak",
    "low",
    "sent",
    "worstDeviation",
  ]),
  figure(
    "load-capped",
    ["load-capped"],
    "4th graph of the source: the load on top, 300 s at most; 1,000 clients",
    fleet({ clients: 1000 }),
    ["firstPeak", "lastPeak", "bend"],
    NO_CHANCE,
  ),
  figure(
    "load-reset",
    ["load-reset"],
    "5th graph of the source: the load on top, nothing above 300 s; 1,000 clients",
    fleet({ clients: 1000 }),
    ["firstPeak", "lastPeak", "bend"],
    NO_CHANCE,
  ),
  figure("random-slot", ["random-slot"], "6th graph of the source: random slots", fleet(), [
    "peak",
    "low",
    "mean",
    "unlikeBefore",
  ]),
  figure(
    "sequential",
    ["sequential-from-origin"],
    "7th graph of the source: slots in turn, 12,000 clients at once",
    fleet({ clients: 12_000 }, { clients: 480 }),
    ["peak", "low"],
    NO_CHANCE,
  ),
  figure(
    "sequential-arriving",
    ["sequential-from-origin"],
    "8th graph of the source: slots in turn, clients arriving at 0 to 200 a second",
    fleet(ARRIVING, ARRIVING_SMOKE),
    ["peak", "low", "median", "unlikeBefore"],
  ),
  figure(
    "sequential-absolute",
    ["sequential-from-now", "sequential-slot"],
    "9th graph of the source: slots in turn from the connect, and from the clock; clients arriving at 0 to 200 a second",
    fleet(ARRIVING, ARRIVING_SMOKE),
    ["peak", "low", "range", "median", "unlikeBefore"],
  ),
  figure(
    "unsorted-list",
    ["sequential-from-now", "fixed-interval"],
    "10th graph of the source: slots in turn, due clients found by an append-only list",
    appendedOnly(fleet(ARRIVING, ARRIVING_SMOKE)),
    ["firstPeak", "lastPeak", "timesInOrder", "worstLateness", "unlikeBefore"],
  ),
  figure(
    "unsorted-list-churn",
    ["sequential-from-now"],
    "the 10th graph once more, with lives of 4 h on average",
    appendedOnly(
      fleet({ ...ARRIVING, churn: { kind: "lives", meanLife: 4 * HOUR_S, meanAway: 0 } }, ARRIVING_SMOKE),
    ),
    ["firstPeak", "lastPeak", "worstLateness"],
  ),
];
