import { population } from "../curves.ts";
import { Cancelling } from "../population.ts";

export default population(
  "cancel",
  (size) => `a timer is cancelled, where there are ${size}`,
  "timer",
  (timers, size, seed) => new Cancelling(timers, size, seed),
);
