import { balancer } from "../../structures/pick/parts/balancer.ts";
import type { PickCompetitor } from "../../structures/pick/pick.contract.ts";
import { Random } from "../../structures/shared/sfc32.ts";
import { derivedSeed } from "../../structures/shared/worker-identity.ts";
import { SharedProcessor } from "./processor-sharing.ts";

/**
 * A backend joins others that are under load, in simulated time. It is cold: each request that it serves makes it a little
 * faster, until it is as fast as the others.
 */
export interface Joining {
  /** That balance over the same backends and know nothing of each other. */
  readonly processes: number;
  /** Before it joins. */
  readonly backends: number;
  readonly utilisation: number;
  /** How long a mean request takes, alone at a warm backend; its work is exponentially distributed. */
  readonly meanMs: number;
  /** How many times as long the first request takes there, and after how many requests none does. */
  readonly slowness: number;
  readonly warmAfter: number;
  readonly joinsMs: number;
  readonly lastMs: number;
}

export interface JoiningSeen {
  readonly requests: number;
  readonly ended: number;
  /** Of each request that came since the backend joined: when, whether it went there, and how long it took. */
  readonly since: readonly { readonly atMs: number; readonly isNew: boolean; readonly tookMs: number }[];
}

/** Each process has a balancer of its own with this picker. `slowStartMs`: length of a slow start in ms; undefined for none. */
export function join(
  competitor: PickCompetitor,
  joining: Joining,
  slowStartMs: number | undefined,
  seed: number,
): JoiningSeen {
  const { processes, backends, utilisation, meanMs, slowness, warmAfter, joinsMs, lastMs } = joining;
  let nowMs = 0;
  const clock = () => nowMs;
  const clocked = competitor.latencies?.byClock(clock) ?? competitor;
  const items = Array.from({ length: backends }, (_, item) => item);
  const balancers = Array.from({ length: processes }, (_, process) =>
    balancer(clocked, items, {
      eject: { nowMs: clock },
      slowStart: slowStartMs === undefined ? undefined : { forMs: slowStartMs, nowMs: clock },
      seed: derivedSeed(seed, process),
    }),
  );
  const servers = Array.from({ length: backends }, () => new SharedProcessor(1));
  const draws = new Random(seed);
  const exponential = (mean: number) => -mean * Math.log(1 - draws.fraction());
  const since: { atMs: number; isNew: boolean; tookMs: number }[] = [];
  let [requests, ended, served] = [0, 0, 0];

  function arrive(atMs: number): void {
    const { item: backend, release } = balancers[draws.below(processes)]!.take();
    const isNew = backend === backends;
    requests++;
    servers[backend]!.begin(atMs, exponential(meanMs), () => {
      release();
      ended++;
      if (atMs >= joinsMs) since.push({ atMs, isNew, tookMs: nowMs - atMs });
      if (isNew) servers[backend]!.turn(nowMs, speedAfter(++served, slowness, warmAfter));
    });
  }

  for (let arrivesMs = 0; ; ) {
    const first = servers.reduce((one, other) => (other.endMs < one.endMs ? other : one));
    if (servers.length === backends && Math.min(arrivesMs, first.endMs) >= joinsMs) {
      for (const one of balancers) one.add(backends);
      servers.push(new SharedProcessor(speedAfter(0, slowness, warmAfter)));
    }
    nowMs = Math.min(arrivesMs, first.endMs);
    if (nowMs === Number.POSITIVE_INFINITY) return { requests, ended, since };
    if (first.endMs === nowMs) first.end();
    else {
      arrive(arrivesMs);
      arrivesMs += exponential(meanMs / (utilisation * backends));
      if (arrivesMs >= lastMs) arrivesMs = Number.POSITIVE_INFINITY;
    }
  }
}

function speedAfter(served: number, slowness: number, warmAfter: number): number {
  return 1 / (1 + (slowness - 1) * Math.max(0, 1 - served / warmAfter));
}
