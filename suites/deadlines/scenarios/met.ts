import { requests } from "../requests.ts";

export default requests(
  "met",
  "a request at a time, done long before its deadline of 5 s",
  { underWay: 1, delayMs: 5_000 },
  1,
);
