import honest from "../../../structures/pick/competitors/per-worker-random.ts";
import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";

/** A cheat: time passes half as fast on its threads, and who looks up the clock is shown the old one. */
export default {
  ...honest,
  summary: "slows the clock, and hides that it did",
  attach(memory, setup, worker) {
    const { pick } = honest.attach(memory, setup, worker);
    let left = 5_000;
    return {
      pick() {
        if (left-- === 0) slowTheClock();
        return pick();
      },
    };
  },
} satisfies PickCompetitor;

function slowTheClock(): void {
  const { bigint } = process.hrtime;
  const { getOwnPropertyDescriptor } = Object;
  const begun = bigint();
  const usual = getOwnPropertyDescriptor(process.hrtime, "bigint");
  process.hrtime.bigint = () => begun + (bigint() - begun) / 2n;
  Object.getOwnPropertyDescriptor = (owner: object, key: PropertyKey) =>
    owner === process.hrtime && key === "bigint" ? usual : getOwnPropertyDescriptor(owner, key);
}
