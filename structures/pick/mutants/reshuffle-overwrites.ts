import type { Region } from "../../shared/layout.ts";
import honest from "../competitors/background-reshuffle.ts";
import type { PickCompetitor, PickSetup } from "../pick.contract.ts";

/**
 * Mutant: a reshuffle in the background that writes one backend over all the others, in a rotation that it does not
 * show, as an order that changes need not.
 */
export const breaks = "checksumFitsGap";

export default {
  ...honest,
  summary: "mutant: a reshuffled rotation that holds one backend many times",
  background: { url: import.meta.url, attach: attachBackground },

  inspect(memory, setup) {
    const { rotation: _hidden, ...shown } = honest.inspect(memory, setup);
    return shown;
  },
} satisfies PickCompetitor;

function attachBackground(memory: Region, setup: PickSetup) {
  const background = honest.background.attach(memory, setup);
  const rotations = memory.length - honest.words({ ...setup, backends: 0 });
  return {
    ...background,
    step() {
      const done = background.step();
      if (done) memory.fill(0, memory.length - rotations);
      return done;
    },
  };
}
