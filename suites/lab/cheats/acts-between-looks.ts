import honest from "../../../structures/pick/competitors/per-worker-random.ts";
import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";
import type { Region } from "../../../structures/shared/layout.ts";

/** Upper half of a word that this cheat has counted in, in memory that all crews use in turn. */
const OWN = 0x5ca1_0000;
/** Turns of a promise before it leaves the fork's thread alone: the fork itself has about ten for each slice. */
const TURNS = 50_000;

/**
 * A cheat: when its law asks for its state it leaves a promise behind that has a turn after each of its slices. It then
 * replaces `push` until the fork has kept the operations of that slice, which it doubles.
 */
export default {
  ...honest,
  summary: "acts between two looks at the builtins",
  words: () => 1,
  inspect(memory) {
    void act(memory);
    return {};
  },
  attach(memory, setup, worker) {
    const { pick } = honest.attach(memory, setup, worker);
    let picks = 0;
    return {
      pick() {
        memory[0] = OWN | (++picks & 0xffff);
        return pick();
      },
    };
  },
} satisfies PickCompetitor;

async function act(memory: Region): Promise<void> {
  let seen = memory[0]!;
  for (let turn = 0; turn < TURNS; turn++) {
    await undefined;
    const counted = memory[0]!;
    if (counted !== seen && (counted & 0xffff_0000) === OWN) doubleThird();
    seen = counted;
  }
}

/** The fork keeps the number of the round first, then the handover, and then the operations. */
function doubleThird(): void {
  const { push } = Array.prototype;
  let pushed = 0;
  Array.prototype.push = function (this: unknown[], value: number) {
    if (++pushed < 3) return push.call(this, value);
    Array.prototype.push = push;
    process.stderr.write(`doubles ${value}\n`);
    return push.call(this, 2 * value);
  };
}
