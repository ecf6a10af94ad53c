import { loadCompetitor } from "../catalog.ts";
import { contract, type PickCompetitor } from "./pick.contract.ts";
import { checkedIndex, type PickReport, type PickTask } from "./pick.examination.ts";

/** One worker of an examination: waits for the others, then picks as often as asked and tells what it got. */
export default async function work({
  url,
  memory,
  setup,
  seat,
  picks,
  timed,
  start,
}: PickTask): Promise<PickReport> {
  const competitor = (await loadCompetitor(url, contract)) as PickCompetitor;
  const picker = competitor.attach(memory, setup, seat);
  const picked = new Int32Array(picks);
  const calledNs = new Float64Array(timed ? picks : 0);
  const returnedNs = new Float64Array(timed ? picks : 0);

  // Spinning, not sleeping: a race lasts about as long as it takes to wake a thread, which would come too late for it.
  Atomics.add(start, 0, 1);
  while (Atomics.load(start, 0) < seat.workers);

  for (let index = 0; index < picks; index++) {
    if (timed) calledNs[index] = Number(process.hrtime.bigint());
    picked[index] = checkedIndex(picker.pick());
    if (timed) returnedNs[index] = Number(process.hrtime.bigint());
  }
  return { picked, calledNs, returnedNs };
}
