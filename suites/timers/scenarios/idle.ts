import { population } from "../curves.ts";
import { Idling } from "../population.ts";
import { otherClock } from "../sizes.ts";

export default population(
  "idle",
  (size) => `a tick at which none of ${size} timers is due, nor for days`,
  "tick",
  (timers, size, seed) => new Idling(timers, size, seed),
  otherClock,
);
