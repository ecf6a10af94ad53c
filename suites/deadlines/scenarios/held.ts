import { setImmediate as nextTurn } from "node:timers/promises";
import type { Deadline, DeadlinesCompetitor } from "../../../structures/deadlines/deadlines.contract.ts";
import { type Instruments, survey } from "../../shared/vocabulary.ts";

interface HeldParams {
  readonly requests: number;
}

const DELAY_MS = 600_000;
/** Finalizers run in a turn after a collection, and what they let go goes with the next. */
const COLLECTIONS = 3;

async function heldAtRest({ heldBytes }: Instruments): Promise<number> {
  let bytes = 0;
  for (let count = 0; count < COLLECTIONS; count++) {
    await nextTurn();
    bytes = heldBytes();
  }
  return bytes;
}

export default survey<DeadlinesCompetitor, HeldParams>({
  scenario: "held",
  title:
    "what 10,000 pending deadlines hold, and what is left when their requests are done and their caller stays",
  headline: false,
  baseline: "abort-controller-set-timeout",
  params: { full: { requests: 10_000 }, smoke: { requests: 100 } },
  metrics: {
    pending: { title: "Pending", unit: "B/deadline", digits: 0 },
    left: { title: "Left", unit: "B/deadline", digits: 0 },
    aborted: { title: "Aborted", unit: "deadlines", digits: 0 },
  },
  bytesPerWorker: (_competitor, { requests }) => 4_000 * requests,

  async run(competitor, { requests }, _seed, instruments) {
    const deadlines = competitor.create();
    const caller = new AbortController();
    // The first makes what is there once.
    deadlines.make(DELAY_MS, caller.signal).cancel();
    const before = await heldAtRest(instruments);
    const underWay: Deadline[] = [];
    for (let count = 0; count < requests; count++) underWay.push(deadlines.make(DELAY_MS, caller.signal));
    const pending = await heldAtRest(instruments);
    const aborted = underWay.filter(({ signal }) => signal.aborted).length;
    for (const deadline of underWay) deadline.cancel();
    underWay.length = 0;
    const left = await heldAtRest(instruments);
    return { pending: (pending - before) / requests, left: (left - before) / requests, aborted };
  },

  law: (_competitor, _params, { aborted }) =>
    aborted === 0 ? undefined : `${aborted} signals were aborted before their time`,
});
