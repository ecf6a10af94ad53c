import { sweep } from "../faults.ts";

export default sweep({
  scenario: "loss",
  title: "the more news is lost, each piece by itself",
  along: { title: "news lost", unit: "%", scale: "linear", at: [0, 1, 2, 5, 10, 20, 30, 50] },
  tabled: [1, 10, 30],
  faultsAt: (percent) => ({ loss: percent / 100 }),
});
