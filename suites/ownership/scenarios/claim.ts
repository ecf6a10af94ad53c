import { MAIN_RESOURCES } from "../sizes.ts";
import { CLAIM_COLUMNS, Writer } from "../window.ts";
import { MINUTE_MS, windowRace } from "../window-races.ts";

const SIZES = [
  ["1k", 1_000],
  ["100k", MAIN_RESOURCES],
  ["1m", 1_000_000],
] as const;

export default SIZES.map(([label, resources]) =>
  windowRace(
    {
      scenario: `claim-${label}`,
      title: `one worker hears claims of ${resources.toLocaleString("en")} addresses, a minute each, 1 % of them late`,
      operation: "claim",
      // A caller that only claims asks nothing.
      full: { resources, rowMs: MINUTE_MS, lookups: 1 },
      mostWorkers: 1,
      point: { curve: "claim", along: "addresses", at: resources },
    },
    CLAIM_COLUMNS,
    (ownership, shared, params) => new Writer(ownership, shared, params),
  ),
);
