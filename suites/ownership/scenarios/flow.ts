import { MAIN_RESOURCES } from "../sizes.ts";
import { FLOW_COLUMNS, Flows, Reader, Writer } from "../window.ts";
import { MINUTE_MS, windowRace } from "../window-races.ts";

/** The leaders, alone and shared, the source's own words, and what npm has. Their sets are large: two share a process. */
const CONTENDERS = [
  "sorted-arrays",
  "flat-sorted-arrays",
  "flat-slots",
  "ring-of-ranges",
  "seqlock-slots",
  "wasm-seqlock-slots",
  "trailing-rule",
  "npm-sorted-btree",
];

const flow = windowRace(
  {
    scenario: "flow",
    title: "one worker hears a claim and answers a lookup in turn, 100,000 addresses",
    headline: true,
    operation: "claim and lookup",
    full: { resources: MAIN_RESOURCES, rowMs: MINUTE_MS, lookups: 2 ** 18 },
    mostWorkers: 1,
  },
  FLOW_COLUMNS,
  (ownership, shared, params) =>
    new Flows(new Writer(ownership, shared, params), new Reader(ownership, shared, params, 0)),
);

export default { ...flow, contenders: CONTENDERS };
