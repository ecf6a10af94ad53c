import { requests } from "../requests.ts";

/** So long that none passes while the crews of other competitors have the machine. */
const DELAY_MS = 600_000;

export default requests(
  "many-pending",
  "100,000 requests under way, each done long before its deadline of 10 min",
  { underWay: 100_000, delayMs: DELAY_MS },
  100,
);
