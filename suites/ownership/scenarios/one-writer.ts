import { MAIN_RESOURCES } from "../sizes.ts";
import { MINUTE_MS, readersAndWriter, SHORT_ROW_MS } from "../window-races.ts";

export default [
  readersAndWriter(
    "one-writer",
    "readers, from two workers on beside one that claims, 100,000 addresses; the baseline's are replicas that stand still",
    { resources: MAIN_RESOURCES, rowMs: MINUTE_MS, lookups: 2 ** 18 },
    true,
  ),
  readersAndWriter(
    "one-writer-small",
    "readers, from two workers on beside one that claims, 1,024 addresses; the baseline's are replicas that stand still",
    {
      resources: 1024,
      rowMs: SHORT_ROW_MS,
      lookups: 2 ** 14,
    },
  ),
];
