import { counting } from "../counting.ts";

export default counting({
  scenario: "record",
  title: "one histogram in which all workers record latencies",
  operation: "record",
  headline: false,
  alike: "counting",
  count: (recorder, latency) => recorder.record(latency),
  adds: false,
  records: true,
});
