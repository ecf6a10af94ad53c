import { counting } from "../counting.ts";

export default counting({
  scenario: "read",
  title: "a reader of a counter and a histogram, beside workers that write them",
  operation: "read, or add and record",
  headline: false,
  reads: true,
  count(recorder, latency) {
    recorder.add(1);
    recorder.record(latency);
  },
  adds: true,
  records: true,
});
