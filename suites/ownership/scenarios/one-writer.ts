import { MAIN_RESOURCES } from "../sizes.ts";
import { MINUTE_MS, readersAndWriter } from "../window-races.ts";

export default readersAndWriter(
  "one-writer",
  "readers, from two workers on beside one that claims, 100,000 addresses; the baseline's are replicas that stand still",
  { resources: MAIN_RESOURCES, rowMs: MINUTE_MS, lookups: 2 ** 18 },
  true,
);
