import { Worker } from "node:worker_threads";
import honest from "../../../../structures/pick/competitors/per-worker-random.ts";
import type { PickCompetitor } from "../../../../structures/pick/pick.contract.ts";

/** Which fork starts at the first ticket. */
const isFirstFork = ({ firstTicket }: { readonly firstTicket: number }) => firstTicket === 0;

/** How often the thread is to write, and how often it has. */
const ASKED = 0;
const WRITTEN = 1;
const turns = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));

const WRITER = `const { memory, turns } = require("node:worker_threads").workerData;
for (let written = 0; ; written++) {
  while (Atomics.load(turns, ${ASKED}) === written) Atomics.wait(turns, ${ASKED}, written);
  Atomics.add(memory, 0, 1);
  Atomics.add(turns, ${WRITTEN}, 1);
  Atomics.notify(turns, ${WRITTEN});
}`;

/**
 * Faulty: in the first fork a thread of its own writes a word of its memory when it is looked at, between two slices, where
 * other crews have theirs in their turns.
 */
export default {
  ...honest,
  summary: "faulty: writes between",
  words: () => 1,
  format(memory, setup) {
    if (isFirstFork(setup)) new Worker(WRITER, { eval: true, workerData: { memory, turns } });
  },
  inspect(_memory, setup) {
    if (isFirstFork(setup)) {
      const written = Atomics.add(turns, ASKED, 1);
      Atomics.notify(turns, ASKED);
      while (Atomics.load(turns, WRITTEN) === written) Atomics.wait(turns, WRITTEN, written);
    }
    return honest.inspect();
  },
} satisfies PickCompetitor;
