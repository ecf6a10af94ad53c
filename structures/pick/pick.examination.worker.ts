import { loadCompetitor } from "../catalog.ts";
import { readCrewClock } from "../shared/crew-clock.ts";
import { withBackends } from "./parts/backends.ts";
import { checkedIndex, UnderWay } from "./parts/simulation.ts";
import { contract, type PickCompetitor } from "./pick.contract.ts";
import type { PickReport, PickTask } from "./pick.examination.ts";

/** One worker of an examination: waits for the others, then picks as often as asked and returns what it got. */
export default async function work({
  url,
  memory,
  setup,
  identity,
  picks,
  timed,
  failing,
  start,
  clock,
}: PickTask): Promise<PickReport> {
  const loaded = (await loadCompetitor(url, contract)) as PickCompetitor;
  const competitor = withBackends(failing ? loaded.ejects!.byClock(() => 0) : loaded, () =>
    performance.now(),
  );
  const picker = competitor.attach(memory, setup, identity);
  const nowNs = readCrewClock(clock);
  const underWay = new UnderWay();
  const picked = new Int32Array(picks);
  const calledNs = new Float64Array(timed ? picks : 0);
  const returnedNs = new Float64Array(timed ? picks : 0);

  // Spinning, not sleeping: a race lasts about as long as it takes to wake a thread, which would come too late for it.
  Atomics.add(start, 0, 1);
  while (Atomics.load(start, 0) < identity.workers);

  const latestMs = performance.now() + MOST_MS;
  let made = 0;
  for (let index = 0; index < picks; index++) {
    if (index % PICKS_PER_LOOK === 0 && performance.now() > latestMs) break;
    if (timed) calledNs[index] = nowNs();
    const backend = checkedIndex(picker.pick());
    if (timed) returnedNs[index] = nowNs();
    picked[index] = backend;
    made++;
    if (picker.release === undefined) continue;
    if (failing && backend === 0) picker.release(backend, true);
    else {
      const done = underWay.exchange(backend);
      if (done !== undefined) picker.release(done);
    }
  }
  const inFlight = picker.release === undefined ? {} : { inFlight: underWay.count };
  return {
    picked: picked.slice(0, made),
    counters: { ...picker.counters?.(), ...inFlight },
    calledNs: calledNs.slice(0, made),
    returnedNs: returnedNs.slice(0, made),
  };
}

/**
 * Milliseconds after which a worker stops short, several times what a race takes. The exception is a fair lock with
 * more workers than cores, which needs minutes for as many picks as others make at once.
 */
const MOST_MS = 100;
/** Few enough that a slow picker is stopped in time, enough that the look costs the others nothing. */
const PICKS_PER_LOOK = 64;
