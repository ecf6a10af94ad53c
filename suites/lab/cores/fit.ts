/**
 * Finds the costs of the machine "here" that cannot be measured one by one: how lines travel, and how long it takes to
 * fall asleep. It draws costs, simulates the fitted structures with two workers, and keeps what comes nearest to their
 * published medians: first the costs as they are, then any, then some near the best so far. Printed are the best, and the range of all that come
 * nearly as near. The same seed prints the same.
 *
 * How to run: node suites/lab/cores/fit.ts [draws, 600 if absent]
 * About 1 s for each draw.
 */
import { Random } from "../../../structures/shared/sfc32.ts";
import { HERE } from "./data/machines.ts";
import { publishedMedians } from "./data/measured.ts";
import { type CostName, type Costs, nominalCosts } from "./machine/machine.ts";
import { Simulator } from "./machine/simulator.ts";
import { cellsOf, FITTED, planCores } from "./plan.ts";
import { structureOf } from "./record.ts";

/** Between what the free costs are drawn. */
const FREE = {
  travelInComplex: [15, 90],
  copyShare: [0.1, 1.2],
  snoopShare: [0.1, 0.8],
  upgradeShare: [0.1, 1.2],
  hold: [2, 50],
  readHold: [0.5, 50],
  sleep: [300, 10_000],
} as const satisfies Partial<Record<CostName, readonly [number, number]>>;
type Free = Record<keyof typeof FREE, number>;
const NAMES = Object.keys(FREE) as (keyof typeof FREE)[];

/** How many of the best are changed a little in the second half of the draws, and by which factor at most. */
const PARENTS = 5;
const STEP = 1.25;
/** What comes within this of the best, in the root mean square of logarithms, might be as true. */
const NEARLY = 0.03;
/** Of a crew: enough for its mean within 1 %. */
const OPERATIONS = 2_000;

const draws = Number(process.argv[2] ?? 600);
const random = new Random(1);
const simulator = new Simulator();
const request = { seed: 1, draws: 0, machines: [HERE], filters: FITTED, workers: [1, 2] };
const plan = await planCores({ ...request, candidates: new Map(), described: new Map() });
const structures = await Promise.all(
  plan.structures.map(async (structure) => {
    const [alone, crew] = cellsOf(plan, structure).map(({ nominal }) => ({
      ...nominal,
      operations: OPERATIONS,
    }));
    const medians = await publishedMedians(crew!.primitive, crew!.scenario);
    const [oneNs, twoNs] = [1, 2].map((workers) => medians.at(crew!.competitor, workers)?.ns);
    if (oneNs === undefined || twoNs === undefined) throw new Error(`${structureOf(crew!)} is not published`);
    return { name: structureOf(crew!), alone: alone!, crew: crew!, oneNs, twoNs };
  }),
);

function drawn(parent: Free | undefined): Free {
  const entries = NAMES.map((name) => {
    const [low, high] = FREE[name];
    const value =
      parent === undefined
        ? low * (high / low) ** random.fraction()
        : parent[name] * STEP ** (2 * random.fraction() - 1);
    return [name, Math.min(high, Math.max(low, value))];
  });
  return Object.fromEntries(entries) as Free;
}

/** Simulated over published, for each structure. */
async function ratiosOf(free: Free): Promise<number[]> {
  const costs: Costs = { ...nominalCosts(HERE), ...free };
  const ratios: number[] = [];
  for (const { alone, crew, oneNs, twoNs } of structures) {
    const own = await simulator.simulate({ ...alone, costs, localNs: 0, atomicsAlone: 0 });
    const localNs = Math.max(0, oneNs - own.nsPerOperation);
    const both = await simulator.simulate({
      ...crew,
      costs,
      localNs,
      atomicsAlone: own.atomicsPerOperation,
    });
    ratios.push(both.nsPerOperation / twoNs);
  }
  return ratios;
}

const tried: { readonly free: Free; readonly ratios: readonly number[]; readonly error: number }[] = [];
const ownCosts = nominalCosts(HERE);
const current = Object.fromEntries(NAMES.map((name) => [name, ownCosts[name]])) as Free;
for (let draw = 0; draw < draws; draw++) {
  const parent = draw < draws / 2 ? undefined : tried[random.below(PARENTS)]!.free;
  const free = draw === 0 ? current : drawn(parent);
  const ratios = await ratiosOf(free);
  const error = Math.sqrt(ratios.reduce((sum, ratio) => sum + Math.log(ratio) ** 2, 0) / ratios.length);
  tried.push({ free, ratios, error });
  tried.sort((one, other) => one.error - other.error);
}
await simulator.close();

const [best] = tried as [(typeof tried)[number]];
const near = tried.filter(({ error }) => error <= best.error + NEARLY);
const digits = (value: number) => value.toPrecision(3);
console.log(`${draws} draws; error of the best ${digits(best.error)}, ${near.length} nearly as near`);
for (const name of NAMES) {
  const values = near.map(({ free }) => free[name]);
  console.log(
    `${name.padEnd(16)} ${digits(best.free[name])}  ${digits(Math.min(...values))} .. ${digits(Math.max(...values))}`,
  );
}
for (const [index, { name }] of structures.entries())
  console.log(`${name} simulated over measured ${digits(best.ratios[index]!)}`);
