import { MAIN_RESOURCES } from "../sizes.ts";
import { FLOW_COLUMNS, Flows, Reader, Writer } from "../window.ts";
import { MINUTE_MS, windowRace } from "../window-races.ts";

export default windowRace(
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
