import assert from "node:assert/strict";
import type { Piscina } from "piscina";
import type { Key } from "../keyed/keyed.contract.ts";
import type { Examination } from "../shared/contract.ts";
import { asserted, examined, threadsOf } from "../shared/examination.ts";
import { Random } from "../shared/sfc32.ts";
import {
  type Affinity,
  type AffinityCompetitor,
  type AffinityMember,
  type Avoid,
  contract,
  NONE,
} from "./affinity.contract.ts";
import * as laws from "./affinity.laws.ts";
import { naive } from "./affinity.naive.ts";
import { bounded } from "./parts/bounded.ts";

/** What a worker of an examination is asked, and answers with the id for each key. */
export interface AffinityTask {
  readonly url: string;
  readonly members: readonly AffinityMember[];
  readonly keys: readonly Key[];
}

export const examination = {
  tries: "members at random, that join, leave, are avoided and loaded, and two threads",
  /** `threads`: of `examinationThreads`; its own where there are none. */
  examine: (url: string, threads?: Piscina) =>
    examined(url, contract, async (competitor: AffinityCompetitor) => [
      await asserted("badInputIsRefused", () => assertBadInputIsRefused(competitor)),
      ...SIZES.flatMap((size) => lawsAmong(competitor, size)),
      await lawOfThreads(competitor, url, threads),
    ]),
} satisfies Examination;

const SIZES = [1, 3, 12];
const KEYS: readonly Key[] = Array.from({ length: 2_000 }, (_, at) =>
  at % 4 === 0 ? at * 7_919 : at % 4 === 1 ? -(at * 2 ** 33) : `user/${at}`,
);
/** As many are compared with the naive version, which is slow. */
const FEW_KEYS = KEYS.slice(0, 16);
const SEED = 20_261_128;

function assertBadInputIsRefused(competitor: AffinityCompetitor): void {
  for (const bad of [
    ...[[], [{ id: "a" }, { id: "a" }], [{ id: 5 }], [{ id: "a", weight: 0 }], [{ id: "a", weight: 1.5 }]],
    ...(competitor.weighted ? [] : [[{ id: "a", weight: 2 }]]),
  ])
    assert.throws(() => competitor.create(bad as AffinityMember[]), /^(Range|Type)Error: [^\n]+$/);
  const affinity = competitor.create([{ id: "a" }]);
  for (const key of [undefined, null, 1.5, {}])
    assert.throws(() => affinity.pick(key as Key), { name: "TypeError", message: /is no key/ });
}

/** Ids as those of servers, and weights for those that heed them. */
function membersAmong(size: number, random: Random, weighted: boolean): AffinityMember[] {
  return Array.from({ length: size }, (_, at) => ({
    id: `http://10.0.${random.below(256)}.${at}:8080`,
    ...(weighted && { weight: 1 + random.below(4) }),
  }));
}

/** The id of each key's member; nothing stays in flight. */
export function idsOf(
  affinity: Affinity,
  members: readonly AffinityMember[],
  keys: readonly Key[],
  avoid?: Avoid,
): string[] {
  return keys.map((key) => {
    const at = affinity.pick(key, avoid);
    if (at === NONE) return NOWHERE;
    affinity.release?.(at);
    return members[at]!.id;
  });
}

const NOWHERE = "nowhere";

function lawsAmong(competitor: AffinityCompetitor, size: number): (string | undefined)[] {
  const random = new Random(SEED, size);
  return (competitor.weighted ? [false, true] : [false]).flatMap((isWeighted) => {
    const members = membersAmong(size, random, isWeighted);
    const affinity = competitor.create(members);
    const first = idsOf(affinity, members, KEYS);
    return [
      laws.sharesAreFair(competitor, members, first),
      laws.sameKeySameMember(first, idsOf(affinity, members, KEYS.toReversed()).reverse()),
      ...lawsOfChanges(competitor, members, first, random),
      ...lawsOfAvoided(affinity, members, first, random),
      ...lawsOfPapers(competitor, members, random),
      lawOfLoad(competitor.bound === undefined ? bounded(competitor, 1.25) : competitor, members, random),
    ];
  });
}

function lawsOfChanges(
  competitor: AffinityCompetitor,
  members: readonly AffinityMember[],
  after: readonly string[],
  random: Random,
): (string | undefined)[] {
  const byIds = competitor.follows === "ids";
  const picksOf = (of: readonly AffinityMember[]) => idsOf(competitor.create(of), of, KEYS);
  const ids = members.map(({ id }) => id);
  const turned = members.toSorted(() => random.fraction() - 0.5);
  const broken = byIds ? [laws.workersAgree([after, picksOf(turned)])] : [];
  for (let change = 0; members.length > 1 && change < (byIds ? CHANGES : 1); change++) {
    const at = byIds ? random.below(members.length) : members.length - 1;
    const before = picksOf(members.toSpliced(at, 1));
    // To come is to go backwards: neither depends on what was before.
    broken.push(laws.fewKeysMove(competitor, { before, after, members: ids, changed: ids[at]! }));
  }
  return broken;
}

const CHANGES = 3;

function lawsOfAvoided(
  affinity: Affinity,
  members: readonly AffinityMember[],
  first: readonly string[],
  random: Random,
): (string | undefined)[] {
  const ids = members.map(({ id }) => id);
  return [0.3, 0.9, 1].map((share) => {
    const avoided = new Set(ids.filter(() => random.fraction() < share));
    // Where all are avoided, some look long.
    const keys = FEW_KEYS.slice(0, share === 1 ? 2 : undefined);
    const picks = idsOf(affinity, members, keys, (at) => avoided.has(ids[at]!));
    return laws.avoidedGetNothing({
      picks: picks.map((id) => (id === NOWHERE ? undefined : id)),
      ...{ first, avoided, members: ids },
    });
  });
}

/** The naive version, where there is one: with none avoided, with some, and under load where there is a bound. */
function lawsOfPapers(
  competitor: AffinityCompetitor,
  members: readonly AffinityMember[],
  random: Random,
): (string | undefined)[] {
  const orderOf = naive[competitor.placement];
  if (orderOf === undefined) return [];
  const avoided = new Set([...members.keys()].filter((at) => at > 0 && random.below(2) === 0));
  const total = members.reduce((sum, { weight = 1 }) => sum + weight, 0);
  return [new Set<number>(), avoided].map((spurned) => {
    const affinity = competitor.create(members);
    const loads = members.map(() => 0);
    const published: string[] = [];
    const picks = FEW_KEYS.map((key, inFlight) => {
      const { bound } = competitor;
      const isFull = (at: number) =>
        bound !== undefined &&
        loads[at]! >= Math.ceil(((bound * (members[at]!.weight ?? 1)) / total) * (inFlight + 1));
      const right =
        firstOf(orderOf(members, key), (at) => !spurned.has(at) && !isFull(at)) ??
        firstOf(orderOf(members, key), (at) => !spurned.has(at))!;
      loads[right]!++;
      published.push(members[right]!.id);
      return members[affinity.pick(key, (at) => spurned.has(at))]!.id;
    });
    return laws.asPublished(picks, published);
  });
}

function firstOf(order: Iterable<number>, willDo: (at: number) => boolean): number | undefined {
  for (const at of order) if (willDo(at)) return at;
  return undefined;
}

/** Requests begin and end at random, and a few keys are asked for very often. */
function lawOfLoad(
  competitor: AffinityCompetitor,
  members: readonly AffinityMember[],
  random: Random,
): string | undefined {
  const affinity = competitor.create(members);
  const total = members.reduce((sum, { weight = 1 }) => sum + weight, 0);
  const held: number[] = [];
  const looks: { load: number; inFlight: number; part: number }[] = [];
  for (let step = 0; step < STEPS; step++) {
    if (held.length > 0 && random.below(5) < 2) {
      const [ended] = held.splice(random.below(held.length), 1) as [number];
      affinity.release!(ended);
      continue;
    }
    const key = random.below(2) === 0 ? "hot" : KEYS[random.below(KEYS.length)]!;
    const at = affinity.pick(key);
    held.push(at);
    const load = held.filter((other) => other === at).length;
    looks.push({ load, inFlight: held.length, part: (members[at]!.weight ?? 1) / total });
  }
  return laws.loadIsBounded(competitor.bound!, looks);
}

const STEPS = 400;

/** Two threads make their own handles, one of them from another order of the list where that does not count. */
async function lawOfThreads(
  competitor: AffinityCompetitor,
  url: string,
  shared: Piscina | undefined,
): Promise<string | undefined> {
  const members = membersAmong(7, new Random(SEED), competitor.weighted);
  const keys = KEYS.slice(0, 500);
  const turned = competitor.follows === "ids" ? members.toReversed() : members;
  const threads = shared ?? examinationThreads();
  try {
    const tasks = [members, turned].map((of) => ({ url, members: of, keys }) satisfies AffinityTask);
    const picks: string[][] = await Promise.all(tasks.map((task) => threads.run(task)));
    return laws.workersAgree([idsOf(competitor.create(members), members, keys), ...picks]);
  } finally {
    if (shared === undefined) await threads.destroy();
  }
}

export function examinationThreads(): Piscina {
  return threadsOf(new URL("./affinity.examination.worker.ts", import.meta.url), 2);
}
