import { population } from "../curves.ts";
import { Setting } from "../population.ts";

export default population(
  "set",
  (size) => `a timer is set, where there are ${size}`,
  "timer",
  (timers, size, seed) => new Setting(timers, size, seed),
);
