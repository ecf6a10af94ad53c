import { counting } from "../counting.ts";

export default counting({
  scenario: "count",
  title: "one counter that all workers raise",
  operation: "add",
  headline: true,
  alike: "counting",
  count: (recorder) => recorder.add(1),
  adds: true,
  records: false,
});
