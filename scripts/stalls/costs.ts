import type { Entry } from "../../structures/catalog.ts";
import { Random } from "../../structures/shared/sfc32.ts";
import { Fleet, type FleetPlan, type Window } from "../../suites/connections/coordinator.ts";
import { mean, standardDeviation, studentQuantile } from "../../suites/engine/statistics.ts";

/**
 * What watchers cost a server that has none otherwise. In each round, servers and clients are new processes. Each watcher
 * takes a turn on their connections, and right before or after it these pass a turn without any. The order is random, so
 * that drift falls on all alike.
 */
const NOBODY = new URL("../../structures/connections/competitors/nobody.ts", import.meta.url).href;
/** How sure the intervals are. */
const CONFIDENCE = 0.95;
const SPEED = 1;
const SEED = 1;

/** Of one watcher in one round, beyond what the server takes without. */
interface Cost {
  /** CPU time for each connection and second, in us. */
  readonly cpuUs: number;
  /** On the heap and in ArrayBuffers, for each connection. */
  readonly bytes: number;
}

export async function compareCosts(
  plan: FleetPlan,
  beatMs: number,
  watchers: readonly Entry[],
  rounds: number,
): Promise<void> {
  const random = new Random(SEED);
  const costs = new Map(watchers.map(({ name }) => [name, [] as Cost[]]));
  for (let round = 1; round <= rounds; round++) {
    const order = random.shuffle([...watchers]);
    await Fleet.with(plan, async (fleet) => {
      await fleet.watch(NOBODY);
      await fleet.connect(beatMs);
      for (const { name, url } of order) {
        const cost = await costOf(fleet, url, plan.timeoutMs, random.below(2) === 0);
        costs.get(name)!.push(cost);
        process.stdout.write(`round ${round}, ${name}: ${shown([cost])}\n`);
      }
    });
  }
  for (const [name, all] of costs) process.stdout.write(`${name}: ${shown(all)}, over ${rounds} rounds\n`);
}

async function costOf(fleet: Fleet, url: string, timeoutMs: number, isOwnFirst: boolean): Promise<Cost> {
  const first = await turn(fleet, isOwnFirst ? url : NOBODY);
  const second = await turn(fleet, isOwnFirst ? NOBODY : url);
  const [own, none] = isOwnFirst ? [first, second] : [second, first];
  return {
    cpuUs: (cpuUsOf(own) - cpuUsOf(none)) / fleet.connections / (timeoutMs / 1000),
    bytes: (own.heldBytes - none.heldBytes) / fleet.connections,
  };
}

async function turn(fleet: Fleet, url: string): Promise<Window & { readonly heldBytes: number }> {
  const window = await fleet.turn(url, SPEED);
  return { ...window, heldBytes: await fleet.held() };
}

function cpuUsOf({ userUs, systemUs }: Window): number {
  return userUs + systemUs;
}

function shown(costs: readonly Cost[]): string {
  const cpu = around(costs.map(({ cpuUs }) => cpuUs));
  return `${cpu} us of CPU for each connection and second, ${around(costs.map(({ bytes }) => bytes))} bytes for each connection`;
}

/** The mean and, of several, its interval. */
function around(values: readonly number[]): string {
  const middle = mean(values).toFixed(2);
  if (values.length === 1) return middle;
  const off =
    (studentQuantile((1 + CONFIDENCE) / 2, values.length - 1) * standardDeviation(values)) /
    Math.sqrt(values.length);
  return `${middle} +- ${off.toFixed(2)}`;
}
