import { cancelling, emptyTick, setting, stepsOf } from "../steps.ts";

export default [
  stepsOf("set", "a timer is set, where there are 1,000, 32,000 or 1,000,000: steps counted", setting),
  stepsOf(
    "cancel",
    "a timer is cancelled, where there are 1,000, 32,000 or 1,000,000: steps counted",
    cancelling,
  ),
  emptyTick(),
];
