import fc from "fast-check";
import { Random } from "../../shared/sfc32.ts";
import {
  type Capacity,
  type ClaimsCompetitor,
  CONFLICT,
  formatted,
  NO_EVIDENCE,
  type Ownership,
} from "../ownership.contract.ts";
import {
  type Answer,
  answersFollowClaims,
  type Claim,
  claimsAreKept,
  type Evidence,
  evidenceOnlyGrows,
  gapsAreBridged,
  orderDoesNotMatter,
  rangesAreTheAnswers,
  rebuiltIsTheSame,
  ruling,
  seesSomeInstant,
  shiftMovesAnswers,
  splittingChangesNothing,
} from "../ownership.laws.ts";
import { interleavedLookups, unexplored } from "../ownership.model.ts";
import { allocateStream, type ClaimStream, exportClaims, rebuild } from "../parts/stream.ts";

/**
 * Ways to look for a history that breaks a law, for structures that hear claims. They try all small ones, and random
 * larger ones from a fixed seed, which shrink to the smallest that still breaks it.
 */

/** Small enough to ask about every millisecond after every claim. */
export const SMALL: Capacity = { resources: 2, owners: 4, windowMs: 64, ranges: 128 };
/** Small enough to ask about every millisecond after every store. */
const TINY: Capacity = { resources: 2, owners: 3, windowMs: 8, ranges: 32 };
/** One resource, so that what happens meanwhile happens to the one that is looked up. */
const LONE: Capacity = { resources: 1, owners: 2, windowMs: 16, ranges: 32 };
/** How far watermarks go, in windows: a ring of time turns over that often. */
const ROTATIONS = 4;
export const FIXED = { seed: 20250407, numRuns: 300 };

export function open(competitor: ClaimsCompetitor, capacity: Capacity): Ownership {
  return openPair(competitor, capacity)[0];
}

/** A writer's and a reader's handle on one structure; on two replicas, if it is private. */
export function openPair(competitor: ClaimsCompetitor, capacity: Capacity): [Ownership, Ownership] {
  return openHandles(competitor, capacity, 2) as [Ownership, Ownership];
}

function openHandles(competitor: ClaimsCompetitor, capacity: Capacity, workers: number): Ownership[] {
  const { memory, linear } = formatted(competitor, capacity);
  return Array.from({ length: workers }, (_, index) =>
    competitor.attach(memory, capacity, { index, workers, role: "worker", seed: 1 }, linear),
  );
}

/** What `ownership` says of each millisecond from `from` to a window past the one that starts at `watermark`. */
export function answersOf(
  ownership: Ownership,
  { resources, windowMs }: Capacity,
  watermark = 0,
  toleranceMs = 0,
  from = 0,
): Answer[] {
  const answers: Answer[] = [];
  for (let resource = 0; resource < resources; resource++)
    for (let t = from; t <= watermark + 2 * windowMs; t++)
      answers.push({ resource, t, said: ownership.ownerAt(resource, t, toleranceMs) });
  return answers;
}

export function claimAll(ownership: Ownership, claims: readonly Claim[]): void {
  for (const { resource, owner, start, end } of claims) ownership.claim(resource, owner, start, end);
}

/** Claims in the first window; under `evidence` some are a peer's word of a conflict. */
function claimsIn({ resources, owners, windowMs }: Capacity, rule: ClaimsCompetitor["rule"]) {
  const owned = fc.nat({ max: owners - 1 });
  return fc
    .record({
      resource: fc.nat({ max: resources - 1 }),
      owner:
        rule === "evidence"
          ? fc.oneof({ weight: 9, arbitrary: owned }, { weight: 1, arbitrary: fc.constant(CONFLICT) })
          : owned,
      start: fc.nat({ max: windowMs - 1 }),
      length: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: windowMs })),
    })
    .map(({ length, ...claim }): Claim => ({ ...claim, end: Math.min(claim.start + length, windowMs) }));
}

/** A claim in the window of the moment, or that many ms before it; or a watermark so far from the one before. */
type Op = { readonly claim: Claim; readonly lateMs: number } | { readonly trimMs: number };

const MOST_OPS = 24;

function opsOn(capacity: Capacity, competitor: ClaimsCompetitor): fc.Arbitrary<Op[]> {
  return fc.array(opOn(capacity, competitor), { maxLength: MOST_OPS });
}

function opOn(capacity: Capacity, { rule }: ClaimsCompetitor): fc.Arbitrary<Op> {
  const lateMs = fc.constantFrom(0, 0, 3, capacity.windowMs / 2);
  const claim = fc.record({ claim: claimsIn(capacity, rule), lateMs });
  const trim = fc.record({ trimMs: fc.integer({ min: -4, max: capacity.windowMs + 4 }) });
  return fc.oneof({ weight: 4, arbitrary: claim }, { weight: 1, arbitrary: trim });
}

const NOTHING_HEARD: Evidence = { claims: [], watermark: 0 };

/** What has been heard once `op` is. A claim that comes after all of it is forgotten has not been heard. */
function heardAfter(heard: Evidence, op: Op, { windowMs }: Capacity): Evidence {
  const { claims, watermark } = heard;
  if ("trimMs" in op) {
    const asked = Math.min(watermark + op.trimMs, ROTATIONS * windowMs);
    return { claims, watermark: Math.max(watermark, asked) };
  }
  const start = Math.max(0, watermark + op.claim.start - op.lateMs);
  const end = Math.max(start + 1, watermark + op.claim.end - op.lateMs);
  return { claims: [...claims, { ...op.claim, start, end }], watermark };
}

/**
 * Does what leads from `before` to `after`, some milliseconds later; whether it was accepted, for a trim always. A
 * claim that is forgotten already is left out of what has been heard: a policy must not let it count.
 */
function make(ownership: Ownership, before: Evidence, after: Evidence, shiftMs = 0): boolean {
  if (after.claims.length === before.claims.length) {
    ownership.trim(after.watermark + shiftMs);
    return true;
  }
  const { resource, owner, start, end } = after.claims.at(-1)!;
  return ownership.claim(resource, owner, start + shiftMs, end + shiftMs) === end > after.watermark;
}

/** The evidence without a last claim that came too late to count. */
function counting(heard: Evidence): Evidence {
  const last = heard.claims.at(-1);
  return last !== undefined && last.end <= heard.watermark
    ? { ...heard, claims: heard.claims.slice(0, -1) }
    : heard;
}

/** One random history in progress: what has been heard, and every answer before and after an op. */
interface Moment {
  readonly ownership: Ownership;
  readonly heard: Evidence;
  readonly trimmed: boolean;
  readonly before: readonly Answer[];
  readonly after: readonly Answer[];
}

/** Random claims and watermarks; the law looks at every millisecond after each. */
function randomHistories(
  competitor: ClaimsCompetitor,
  law: (moment: Moment) => string | undefined,
  numRuns = FIXED.numRuns,
): string | undefined {
  return broken((report) =>
    fc.assert(
      fc.property(opsOn(SMALL, competitor), (ops) => {
        const ownership = open(competitor, SMALL);
        let heard = NOTHING_HEARD;
        let after = answersOf(ownership, SMALL);
        for (const op of ops) {
          const next = heardAfter(heard, op, SMALL);
          const before = after;
          const isTrim = next.claims.length === heard.claims.length;
          report(claimsAreKept(1, make(ownership, heard, next) ? 1 : 0));
          heard = isTrim ? next : counting(next);
          after = answersOf(ownership, SMALL, heard.watermark);
          report(law({ ownership, heard, trimmed: isTrim, before, after }));
        }
      }),
      { ...FIXED, numRuns },
    ),
  );
}

/** A law on lookups that were made with a tolerance, after so much had been heard. */
type LookupLaw = (heard: Evidence, answers: readonly Answer[], toleranceMs: number) => string | undefined;

const WRITERS = 3;

/**
 * Random claims and watermarks, each through any of a few handles on one structure. What a handle remembers must not count
 * once others have written. Writers never look up, and each millisecond has a handle of its own that asks about it. So
 * no lookup is put right by what another lookup has found.
 */
function handOvers(competitor: ClaimsCompetitor, toleranceMs: number, law: LookupLaw): string | undefined {
  if (competitor.words(TINY) === 0) return undefined;
  const { resources, windowMs } = TINY;
  const turn = fc.record({ op: opOn(TINY, competitor), writer: fc.nat({ max: WRITERS - 1 }) });
  return broken((report) =>
    fc.assert(
      fc.property(fc.array(turn, { maxLength: MOST_OPS }), (history) => {
        const writers = openHandles(competitor, TINY, WRITERS + (ROTATIONS + 2) * windowMs + 1);
        const askers = writers.splice(WRITERS);
        let heard = NOTHING_HEARD;
        for (const { op, writer } of history) {
          const next = heardAfter(heard, op, TINY);
          report(claimsAreKept(1, make(writers[writer]!, heard, next) ? 1 : 0));
          heard = counting(next);
          const answers: Answer[] = [];
          for (let resource = 0; resource < resources; resource++)
            for (let t = 0; t <= heard.watermark + 2 * windowMs; t++)
              answers.push({ resource, t, said: askers[t]!.ownerAt(resource, t, toleranceMs) });
          report(law(heard, answers, toleranceMs));
        }
      }),
      FIXED,
    ),
  );
}

/** Where the numbers end that a byte or a few bits hold. */
const ODD_RESOURCES = [0, 1, 7, 8, 255, 256, 65_535];
/** The last one is the greatest there may be. */
const ODD_OWNERS = [...ODD_RESOURCES, 2 ** 31 - 2];
/** Resources that no claim names, next to such numbers. */
const SILENT = [2, 9, 254, 257, 65_534];
/** In units of time: single milliseconds, and such that the window is one of hours. */
const ODD_WINDOW = 8;
const UNITS_MS = [1, 2 ** 20];
/** More words than a search may take. */
const MOST_WORDS = 2 ** 22;

/** A history of resources, owners and lengths that random ones are too small for, asked about at the edges of units. */
function oddNumbers(
  competitor: ClaimsCompetitor,
  tolerancesIn: (unitMs: number) => readonly number[],
  law: LookupLaw,
): string | undefined {
  const claims: Claim[] = ODD_RESOURCES.flatMap((resource, index) => {
    const owner = ODD_OWNERS[index + 1]!;
    const other = ODD_OWNERS[index]!;
    return [
      { resource, owner, start: 0, end: 2 },
      { resource, owner, start: 3, end: 5 },
      { resource, owner: other, start: 4, end: 5 },
      { resource, owner: other, start: 7, end: 8 },
    ];
  });
  for (const unitMs of UNITS_MS) {
    const capacity: Capacity = {
      resources: Math.max(...ODD_RESOURCES) + 1,
      owners: Math.max(...ODD_OWNERS) + 1,
      windowMs: ODD_WINDOW * unitMs,
      ranges: claims.length,
    };
    // A cell for each millisecond of such a window would take terabytes.
    if (competitor.words(capacity) > MOST_WORDS) continue;
    const ownership = open(competitor, capacity);
    claimAll(
      ownership,
      claims.map((claim) => ({ ...claim, start: claim.start * unitMs, end: claim.end * unitMs })),
    );
    for (const toleranceMs of tolerancesIn(unitMs)) {
      const answers: Answer[] = [];
      for (const resource of [...ODD_RESOURCES, ...SILENT])
        for (let t = 0; t <= ODD_WINDOW; t++)
          for (const ms of [t * unitMs, (t + 1) * unitMs - 1])
            answers.push({ resource, t, said: ownership.ownerAt(resource, ms, toleranceMs) });
      // The law counts in units. Every gap is a whole number of them, and none is as long as the window.
      const tolerance = Math.min(Math.floor(toleranceMs / unitMs), ODD_WINDOW);
      const sentence = law({ claims, watermark: 0 }, answers, tolerance);
      if (sentence !== undefined) return `with ${unitMs} ms for each: ${sentence}`;
    }
  }
  return undefined;
}

/** Random claims and watermarks; a second handle asks about every millisecond after each store of the first. */
function lookupsBetweenStores(competitor: ClaimsCompetitor): string | undefined {
  return broken((report) =>
    fc.assert(
      fc.property(opsOn(TINY, competitor), (ops) => {
        const [writer, reader] = openPair(competitor, TINY);
        let heard = NOTHING_HEARD;
        for (const op of ops) {
          const next = heardAfter(heard, op, TINY);
          const look = () =>
            report(seesSomeInstant(competitor.rule, [heard, next], answersOf(reader, TINY, next.watermark)));
          afterEachStore(look, () => make(writer, heard, next));
          heard = next;
        }
      }),
      FIXED,
    ),
  );
}

/** A lookup that is held up before one of its loads while the window moves on and is claimed again. */
function lookupsHeldUp(competitor: ClaimsCompetitor): string | undefined {
  const { windowMs } = TINY;
  const old = [{ resource: 0, owner: 1, start: 0, end: windowMs }];
  for (let watermark = 1; watermark <= 2 * windowMs; watermark++) {
    const young = { resource: 0, owner: 2, start: watermark, end: watermark + windowMs };
    const instants = [
      { claims: old, watermark: 0 },
      { claims: old, watermark },
      { claims: [...old, young], watermark },
    ];
    for (let t = 0; t <= watermark + 2 * windowMs; t++) {
      for (let heldUp = true, load = 0; heldUp; load++) {
        const [writer, reader] = openPair(competitor, TINY);
        claimAll(writer, old);
        heldUp = false;
        const moveOn = () => {
          heldUp = true;
          writer.trim(watermark);
          claimAll(writer, [young]);
        };
        const said = beforeLoad(load, moveOn, () => reader.ownerAt(0, t));
        const sentence = seesSomeInstant(competitor.rule, instants, [{ resource: 0, t, said }]);
        if (sentence !== undefined) return `held up before load ${load}: ${sentence}`;
      }
    }
  }
  return undefined;
}

/**
 * A lookup that is held up before one of its loads. Meanwhile the writer does a few things more and stops for ever
 * within the last of them. It must end, and have seen its millisecond as it was at one instant in between.
 */
function lookupsBesideAStoppedWriter(competitor: ClaimsCompetitor): string | undefined {
  const cases = fc.record({
    ops: opsOn(LONE, competitor).filter(({ length }) => length > 0),
    meanwhile: fc.integer({ min: 1, max: 6 }),
    t: fc.nat({ max: 2 * LONE.windowMs }),
    load: fc.nat({ max: 24 }),
    stores: fc.nat({ max: 12 }),
  });
  return broken((report) =>
    fc.assert(
      fc.property(cases, ({ ops, meanwhile, t, load, stores }) => {
        const [writer, reader] = openPair(competitor, LONE);
        let heard = NOTHING_HEARD;
        const instants = [heard];
        const step = (op: Op) => {
          const next = heardAfter(heard, op, LONE);
          instants.push(next);
          make(writer, heard, next);
          heard = next;
        };
        const first = ops.slice(0, -meanwhile);
        for (const op of first) step(op);
        instants.splice(0, instants.length - 1);
        const goOn = () => {
          const rest = ops.slice(first.length);
          for (const op of rest.slice(0, -1)) step(op);
          stoppedAfter(stores, () => step(rest.at(-1)!));
        };
        const said = beforeLoad(load, goOn, () => reader.ownerAt(0, t));
        report(seesSomeInstant(competitor.rule, instants, [{ resource: 0, t, said }]));
      }),
      { ...FIXED, numRuns: 4000 },
    ),
  );
}

/** Runs `body` and calls `look` after each atomic store that it makes. */
function afterEachStore(look: () => void, body: () => void): void {
  const { store } = Atomics;
  Atomics.store = ((memory: Int32Array, index: number, value: number) => {
    const stored = store(memory, index, value);
    look();
    return stored;
  }) as typeof Atomics.store;
  try {
    body();
  } finally {
    Atomics.store = store;
  }
}

/** Runs `body` until it has made that number of atomic stores, and no further. */
function stoppedAfter(stores: number, body: () => void): void {
  const stop = new Error("stopped");
  let made = 0;
  const look = () => {
    if (++made > stores) throw stop;
  };
  try {
    afterEachStore(look, body);
  } catch (error) {
    if (error !== stop) throw error;
  }
}

/** More loads than any lookup of a tiny structure makes that will end. */
const ENDLESS_LOADS = 10_000;

/** Runs `body` and calls `intrude` before its atomic load number `load`, counted from 0, if it gets that far. */
function beforeLoad<T>(load: number, intrude: () => void, body: () => T): T {
  const { load: honest } = Atomics;
  let loads = 0;
  let isIntruding = false;
  Atomics.load = ((memory: Int32Array, index: number) => {
    // What intrudes has loads of its own, which do not count.
    if (!isIntruding && loads++ === load) {
      isIntruding = true;
      intrude();
      isIntruding = false;
    }
    if (loads > ENDLESS_LOADS) throw new Error("the lookup does not end");
    return honest(memory, index);
  }) as typeof Atomics.load;
  try {
    return body();
  } finally {
    Atomics.load = honest;
  }
}

/** Random claims against the same ones shuffled, with some repeated. */
function shuffledHistories(competitor: ClaimsCompetitor): string | undefined {
  const histories = fc
    .array(claimsIn(SMALL, competitor.rule), { minLength: 1, maxLength: 12 })
    .chain((claims) =>
      fc.record({
        claims: fc.constant(claims),
        shuffled: fc
          .subarray(claims)
          .chain((again) =>
            fc.shuffledSubarray([...claims, ...again], { minLength: claims.length + again.length }),
          ),
      }),
    );
  return broken((report) =>
    fc.assert(
      fc.property(histories, ({ claims, shuffled }) => {
        const one = open(competitor, SMALL);
        const other = open(competitor, SMALL);
        claimAll(one, claims);
        claimAll(other, shuffled);
        report(orderDoesNotMatter(answersOf(one, SMALL), answersOf(other, SMALL)));
      }),
      FIXED,
    ),
  );
}

/** To where a history is moved: times since the epoch, and both sides of where 32 bits turn over. */
const SHIFTS_MS = [1, 2 ** 31 - 100, 2 ** 32 - 30, 1_763_700_000_000];

/** Random claims and watermarks against the same ones so much later. */
function shiftedHistories(competitor: ClaimsCompetitor): string | undefined {
  return broken((report) =>
    fc.assert(
      fc.property(opsOn(SMALL, competitor), fc.constantFrom(...SHIFTS_MS), (ops, shiftMs) => {
        const ownership = open(competitor, SMALL);
        const later = open(competitor, SMALL);
        later.trim(shiftMs);
        let heard = NOTHING_HEARD;
        for (const op of ops) {
          const next = heardAfter(heard, op, SMALL);
          make(ownership, heard, next);
          make(later, heard, next, shiftMs);
          heard = next;
        }
        const { watermark } = heard;
        for (const toleranceMs of [0, 5])
          report(
            shiftMovesAnswers(
              answersOf(ownership, SMALL, watermark, toleranceMs),
              answersOf(later, SMALL, watermark + shiftMs, toleranceMs, shiftMs),
            ),
          );
      }),
      FIXED,
    ),
  );
}

/** Random claims against the same ones cut in two. */
function splitHistories(competitor: ClaimsCompetitor): string | undefined {
  const cuts = fc.record({ claim: claimsIn(SMALL, competitor.rule), share: fc.nat({ max: 99 }) });
  return broken((report) =>
    fc.assert(
      fc.property(fc.array(cuts, { minLength: 1, maxLength: 12 }), (claims) => {
        const whole = open(competitor, SMALL);
        const split = open(competitor, SMALL);
        for (const { claim, share } of claims) {
          claimAll(whole, [claim]);
          const cut = claim.start + Math.floor(((claim.end - claim.start) * share) / 100);
          const parts = [
            { ...claim, end: cut },
            { ...claim, start: cut },
          ];
          claimAll(
            split,
            parts.filter(({ start, end }) => start < end),
          );
        }
        report(splittingChangesNothing(answersOf(whole, SMALL), answersOf(split, SMALL)));
      }),
      FIXED,
    ),
  );
}

/** What random histories leave, written out and made into a structure again, in order and shuffled. */
function rebuiltHistories(competitor: ClaimsCompetitor): string | undefined {
  return randomHistories(competitor, ({ ownership, heard }) => {
    const exported = exportClaims(ownership, SMALL);
    // What was heard, not what the structure says of itself, is what has to be there again.
    const said = saidBy(heard, competitor);
    for (const stream of [exported, shuffled(exported)]) {
      const again = open(competitor, SMALL);
      again.trim(heard.watermark);
      rebuild(again, SMALL, stream);
      for (let resource = 0; resource < SMALL.resources; resource++) {
        const sentence = rebuiltIsTheSame(resource, ownership.rangesOf(resource), again.rangesOf(resource));
        if (sentence !== undefined) return sentence;
      }
      const sentence = answersFollowClaims("evidence", said, answersOf(again, SMALL, heard.watermark));
      if (sentence !== undefined) return sentence;
    }
    return undefined;
  });
}

/** Claims of single milliseconds that say what the rule makes of the claims heard. */
function saidBy(heard: Evidence, { rule }: ClaimsCompetitor): Evidence {
  const claims: Claim[] = [];
  for (let resource = 0; resource < SMALL.resources; resource++) {
    for (let t = heard.watermark; t < heard.watermark + 2 * SMALL.windowMs; t++) {
      const owner = ruling(rule, heard, resource, t);
      if (owner !== NO_EVIDENCE) claims.push({ resource, owner, start: t, end: t + 1 });
    }
  }
  return { claims, watermark: heard.watermark };
}

function shuffled(stream: ClaimStream): ClaimStream {
  const count = stream.resources.length;
  const order = new Random(1).shuffle(Array.from({ length: count }, (_, index) => index));
  const moved = allocateStream(count);
  for (const [at, from] of order.entries()) {
    moved.resources[at] = stream.resources[from]!;
    moved.owners[at] = stream.owners[from]!;
    moved.starts[at] = stream.starts[from]!;
    moved.ends[at] = stream.ends[from]!;
  }
  return moved;
}

const PAIR_ORDERS = [
  [0, 1],
  [1, 0],
];
const TRIPLE_ORDERS = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
];

/** All sets of `orders[0].length` claims over bounds 0 .. 4 and as many owners, each order on its own resource. */
function exhaustive(
  competitor: ClaimsCompetitor,
  orders: readonly (readonly number[])[],
  law: (history: Claim[], answers: Answer[]) => string | undefined,
): string | undefined {
  const size = orders[0]!.length;
  const capacity: Capacity = {
    resources: orders.length,
    owners: size,
    windowMs: 5,
    ranges: 5 * orders.length,
  };
  const all: Claim[] = [];
  for (let owner = 0; owner < size; owner++)
    for (let start = 0; start < 4; start++)
      for (let end = start + 1; end <= 4; end++) all.push({ resource: 0, owner, start, end });

  for (const set of multisets(all, size)) {
    const ownership = open(competitor, capacity);
    for (const [resource, order] of orders.entries()) {
      const history = order.map((index) => ({ ...set[index]!, resource }));
      claimAll(ownership, history);
      const answers: Answer[] = [];
      for (let t = 0; t <= 5; t++) answers.push({ resource, t, said: ownership.ownerAt(resource, t) });
      const sentence = law(history, answers);
      if (sentence !== undefined) return `${JSON.stringify(history)}: ${sentence}`;
    }
  }
  return undefined;
}

function* multisets<T>(items: readonly T[], size: number, from = 0): Generator<T[]> {
  if (size === 0) yield [];
  else
    for (let index = from; index < items.length; index++)
      for (const rest of multisets(items, size - 1, index)) yield [items[index]!, ...rest];
}

const TOLERANCES_MS = [1, 4, 40];
/** The specification of a gap goes through all claims for each of its milliseconds. */
const RUNS_WITH_GAPS = 60;
const HANDED_OVER_TOLERANCE_MS = 5;
/** Around the gap of one unit, and more than any gap is. */
const oddTolerances = (unitMs: number) => [unitMs - 1, unitMs, 2 ** 31, Number.POSITIVE_INFINITY];

type Search = (competitor: ClaimsCompetitor) => string | undefined;

/** What every rule owes, by name of the law. */
const LAWS_OF_ALL: Record<string, Search> = {
  answersFollowClaims: (competitor) => {
    const follows = (heard: Evidence, answers: readonly Answer[]) =>
      answersFollowClaims(competitor.rule, heard, answers);
    const allFollow = (history: Claim[], answers: Answer[]) =>
      follows({ claims: history, watermark: 0 }, answers);
    return (
      exhaustive(competitor, PAIR_ORDERS, allFollow) ??
      exhaustive(competitor, TRIPLE_ORDERS, allFollow) ??
      randomHistories(competitor, ({ heard, after }) => follows(heard, after)) ??
      handOvers(competitor, 0, follows) ??
      oddNumbers(competitor, () => [0], follows)
    );
  },
  gapsAreBridged: (competitor) => {
    const areBridged: LookupLaw = (heard, answers, toleranceMs) =>
      gapsAreBridged(competitor.rule, heard, toleranceMs, answers);
    let turn = 0;
    return (
      randomHistories(
        competitor,
        ({ ownership, heard }) => {
          const toleranceMs = TOLERANCES_MS[turn++ % TOLERANCES_MS.length]!;
          const answers = answersOf(ownership, SMALL, heard.watermark, toleranceMs);
          return areBridged(heard, answers, toleranceMs);
        },
        RUNS_WITH_GAPS,
      ) ??
      handOvers(competitor, HANDED_OVER_TOLERANCE_MS, areBridged) ??
      oddNumbers(competitor, oddTolerances, areBridged)
    );
  },
  rangesAreTheAnswers: (competitor) =>
    randomHistories(competitor, ({ ownership, heard, after }) => {
      for (let resource = 0; resource < SMALL.resources; resource++) {
        const answers = after.filter((answer) => answer.resource === resource);
        const sentence = rangesAreTheAnswers(ownership.rangesOf(resource), heard.watermark, answers);
        if (sentence !== undefined) return sentence;
      }
      return undefined;
    }),
  rebuiltIsTheSame: rebuiltHistories,
  shiftMovesAnswers: shiftedHistories,
  splittingChangesNothing: splitHistories,
};

/** What the rule `evidence` owes beside them. */
const LAWS_OF_EVIDENCE: Record<string, Search> = {
  evidenceOnlyGrows: (competitor) =>
    randomHistories(competitor, ({ trimmed, before, after }) =>
      trimmed ? undefined : evidenceOnlyGrows(before, after),
    ),
  // Of all small sets, answersFollowClaims looks at each order.
  orderDoesNotMatter: shuffledHistories,
};

/** What a structure in shared memory owes beside them; a private replica has no other worker beside it. */
const LAWS_OF_SHARED: Record<string, Search> = {
  seesSomeInstant: (competitor) =>
    lookupsBetweenStores(competitor) ??
    lookupsHeldUp(competitor) ??
    lookupsBesideAStoppedWriter(competitor) ??
    (unexplored(competitor) === undefined ? interleavedLookups(competitor) : undefined),
};

export const LAWS_OF_CLAIMS = { ...LAWS_OF_ALL, ...LAWS_OF_EVIDENCE, ...LAWS_OF_SHARED };

/** The laws that a competitor has to keep. */
export function lawsFor(competitor: ClaimsCompetitor): Record<string, Search> {
  return {
    ...LAWS_OF_ALL,
    ...(competitor.rule === "evidence" ? LAWS_OF_EVIDENCE : {}),
    ...(competitor.words(TINY) > 0 ? LAWS_OF_SHARED : {}),
  };
}

/** Runs a search that reports sentences; returns the first one reported in its smallest history. */
export function broken(search: (report: (sentence: string | undefined) => void) => void): string | undefined {
  let last: string | undefined;
  try {
    search((sentence) => {
      if (sentence === undefined) return;
      last = sentence;
      throw new Error(sentence);
    });
  } catch (error) {
    return last ?? String(error);
  }
  return undefined;
}
