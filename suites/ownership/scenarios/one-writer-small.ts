import { readersAndWriter } from "../window-races.ts";

/** Of a row where a structure with a cell per millisecond takes part. */
const SHORT_ROW_MS = 8;

export default readersAndWriter(
  "one-writer-small",
  "readers, from two workers on beside one that claims, 1,024 addresses; the baseline's are replicas that stand still",
  {
    resources: 1024,
    rowMs: SHORT_ROW_MS,
    lookups: 2 ** 14,
  },
);
