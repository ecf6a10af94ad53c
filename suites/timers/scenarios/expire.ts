import { population } from "../curves.ts";
import { Expiring } from "../population.ts";
import { otherClock } from "../sizes.ts";

export default population(
  "expire",
  (size) => `a timer expires, where ${size} are due within a minute`,
  "timer",
  (timers, size, seed) => new Expiring(timers, size, seed),
  otherClock,
);
