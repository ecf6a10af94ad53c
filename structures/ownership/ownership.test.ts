import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { competitorsOf, contractOf, lawBrokenBy, liarsOf, loadCompetitor } from "../catalog.ts";
import { allocateRegion } from "../shared/layout.ts";
import {
  type Capacity,
  NO_EVIDENCE,
  type Ownership,
  type OwnershipCompetitor,
} from "./ownership.contract.ts";
import * as lawsModule from "./ownership.laws.ts";
import {
  type Answer,
  answersAreRight,
  answersFollowEvidence,
  type Claim,
  claimsAreKept,
  type Evidence,
  evidenceOnlyGrows,
  orderDoesNotMatter,
  seesSomeInstant,
  trimsForget,
} from "./ownership.laws.ts";

const contract = await contractOf("ownership");
const load = (url: string) => loadCompetitor(url, contract) as Promise<OwnershipCompetitor>;
const competitors = await Promise.all(
  competitorsOf("ownership").map(async ({ name, url }) => ({ name, competitor: await load(url) })),
);
const liars = await Promise.all(
  liarsOf("ownership").map(async (liar) => ({
    name: liar.name,
    competitor: await load(liar.url),
    breaks: await lawBrokenBy(liar),
  })),
);

const SMALL: Capacity = { resources: 2, owners: 4, windowMs: 64, rangesPerResource: 64 };
/** Small enough to ask about every millisecond after every store. */
const TINY: Capacity = { resources: 2, owners: 3, windowMs: 8, rangesPerResource: 8 };
/** How far watermarks go, in windows: a ring of time turns over that often. */
const LAPS = 4;

function open(competitor: OwnershipCompetitor, capacity: Capacity): Ownership {
  const memory = allocateRegion(competitor.words(capacity));
  competitor.format(memory, capacity);
  return competitor.attach(memory, capacity, { index: 0, workers: 1, role: "worker", seed: 1 });
}

/** What `ownership` says of each millisecond from 0 to a window past the one that starts at `watermark`. */
function answersOf(ownership: Ownership, { resources, windowMs }: Capacity, watermark = 0): Answer[] {
  const answers: Answer[] = [];
  for (let resource = 0; resource < resources; resource++)
    for (let t = 0; t <= watermark + 2 * windowMs; t++)
      answers.push({ resource, t, said: ownership.ownerAt(resource, t) });
  return answers;
}

function claimAll(ownership: Ownership, claims: readonly Claim[]): void {
  for (const { resource, owner, start, end } of claims) ownership.claim(resource, owner, start, end);
}

/** Claims in the first window. */
const claimsIn = ({ resources, owners, windowMs }: Capacity): fc.Arbitrary<Claim> =>
  fc
    .record({
      resource: fc.nat({ max: resources - 1 }),
      owner: fc.nat({ max: owners - 1 }),
      start: fc.nat({ max: windowMs - 1 }),
      length: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: windowMs })),
    })
    .map(({ length, ...claim }) => ({ ...claim, end: Math.min(claim.start + length, windowMs) }));

/** A claim in the window of the moment, or that many ms before it; or a watermark so far from the one before. */
type Op = { readonly claim: Claim; readonly lateMs: number } | { readonly trimMs: number };

const opsOn = (capacity: Capacity): fc.Arbitrary<Op[]> =>
  fc.array(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          claim: claimsIn(capacity),
          lateMs: fc.constantFrom(0, 0, 3, capacity.windowMs / 2),
        }),
      },
      { weight: 1, arbitrary: fc.record({ trimMs: fc.integer({ min: -4, max: capacity.windowMs + 4 }) }) },
    ),
    { maxLength: 24 },
  );

/** What has been heard once `op` is. */
function heardAfter(heard: Evidence, op: Op, { windowMs }: Capacity): Evidence {
  const { claims, watermark } = heard;
  if ("trimMs" in op) {
    const asked = Math.min(watermark + op.trimMs, LAPS * windowMs);
    return { claims, watermark: Math.max(watermark, asked) };
  }
  const start = Math.max(0, watermark + op.claim.start - op.lateMs);
  const end = Math.max(start + 1, watermark + op.claim.end - op.lateMs);
  return { claims: [...claims, { ...op.claim, start, end }], watermark };
}

/** Does what leads from `before` to `after`; whether it was accepted, for a trim always. */
function make(ownership: Ownership, before: Evidence, after: Evidence): boolean {
  if (after.claims.length === before.claims.length) {
    ownership.trim(after.watermark);
    return true;
  }
  const { resource, owner, start, end } = after.claims.at(-1)!;
  return ownership.claim(resource, owner, start, end) === end > after.watermark;
}

const FIXED = { seed: 20250407, numRuns: 300 };

const NOTHING_HEARD: Evidence = { claims: [], watermark: 0 };

/** One random history under way: what has been heard, and every answer before and after an op. */
interface Moment {
  readonly heard: Evidence;
  readonly trimmed: boolean;
  readonly before: readonly Answer[];
  readonly after: readonly Answer[];
}

/** Random claims and watermarks; the law looks at every millisecond after each. */
function randomHistories(
  competitor: OwnershipCompetitor,
  law: (moment: Moment) => string | undefined,
): string | undefined {
  return broken((report) =>
    fc.assert(
      fc.property(opsOn(SMALL), (ops) => {
        const ownership = open(competitor, SMALL);
        let heard = NOTHING_HEARD;
        for (const op of ops) {
          const next = heardAfter(heard, op, SMALL);
          const before = answersOf(ownership, SMALL, next.watermark);
          report(claimsAreKept(1, make(ownership, heard, next) ? 1 : 0));
          heard = next;
          const after = answersOf(ownership, SMALL, heard.watermark);
          report(law({ heard, trimmed: "trimMs" in op, before, after }));
        }
      }),
      FIXED,
    ),
  );
}

/** Random claims and watermarks; a second handle asks about every millisecond after each store of the first. */
function lookupsBetweenStores(competitor: OwnershipCompetitor): string | undefined {
  return broken((report) =>
    fc.assert(
      fc.property(opsOn(TINY), (ops) => {
        const [writer, reader] = openPair(competitor, TINY);
        let heard = NOTHING_HEARD;
        for (const op of ops) {
          const next = heardAfter(heard, op, TINY);
          const look = () => report(seesSomeInstant([heard, next], answersOf(reader, TINY, next.watermark)));
          afterEachStore(look, () => make(writer, heard, next));
          heard = next;
        }
      }),
      FIXED,
    ),
  );
}

/** A lookup that is held up before one of its loads while the window moves on and is claimed again. */
function lookupsHeldUp(competitor: OwnershipCompetitor): string | undefined {
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
        const sentence = seesSomeInstant(instants, [{ resource: 0, t, said }]);
        if (sentence !== undefined) return `held up before load ${load}: ${sentence}`;
      }
    }
  }
  return undefined;
}

/** A writer's and a reader's handle on one shared structure. */
function openPair(competitor: OwnershipCompetitor, capacity: Capacity): [Ownership, Ownership] {
  const memory = allocateRegion(competitor.words(capacity));
  competitor.format(memory, capacity);
  const seat = { workers: 2, role: "worker", seed: 1 };
  return [
    competitor.attach(memory, capacity, { ...seat, index: 0 }),
    competitor.attach(memory, capacity, { ...seat, index: 1 }),
  ];
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

/** Runs `body` and calls `intrude` before its atomic load number `load`, counted from 0, if it makes so many. */
function beforeLoad<T>(load: number, intrude: () => void, body: () => T): T {
  const { load: honest } = Atomics;
  let loads = 0;
  Atomics.load = ((memory: Int32Array, index: number) => {
    if (loads++ === load) intrude();
    return honest(memory, index);
  }) as typeof Atomics.load;
  try {
    return body();
  } finally {
    Atomics.load = honest;
  }
}

/** Random claims against the same ones shuffled, with some repeated. */
function shuffledHistories(competitor: OwnershipCompetitor): string | undefined {
  const histories = fc.array(claimsIn(SMALL), { minLength: 1, maxLength: 12 }).chain((claims) =>
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
  competitor: OwnershipCompetitor,
  orders: readonly (readonly number[])[],
  law: (history: Claim[], answers: Answer[], firstAnswers: Answer[]) => string | undefined,
): string | undefined {
  const size = orders[0]!.length;
  const capacity: Capacity = { resources: orders.length, owners: size, windowMs: 5, rangesPerResource: 5 };
  const all: Claim[] = [];
  for (let owner = 0; owner < size; owner++)
    for (let start = 0; start < 4; start++)
      for (let end = start + 1; end <= 4; end++) all.push({ resource: 0, owner, start, end });

  for (const set of multisets(all, size)) {
    const ownership = open(competitor, capacity);
    let firstAnswers: Answer[] | undefined;
    for (const [resource, order] of orders.entries()) {
      const history = order.map((index) => ({ ...set[index]!, resource }));
      claimAll(ownership, history);
      const answers: Answer[] = [];
      for (let t = 0; t <= 5; t++) answers.push({ resource, t, said: ownership.ownerAt(resource, t) });
      firstAnswers ??= answers;
      const sentence = law(history, answers, firstAnswers);
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

const follows = (history: Claim[], answers: Answer[]) =>
  answersFollowEvidence({ claims: history, watermark: 0 }, answers);
const sameInAnyOrder = (_history: Claim[], answers: Answer[], firstAnswers: Answer[]) =>
  orderDoesNotMatter(firstAnswers, answers);

/** Laws by name, each as a way of looking for a history that breaks it. */
const laws: Record<string, (competitor: OwnershipCompetitor) => string | undefined> = {
  answersFollowEvidence: (competitor) =>
    exhaustive(competitor, PAIR_ORDERS, follows) ??
    exhaustive(competitor, TRIPLE_ORDERS, follows) ??
    randomHistories(competitor, ({ heard, after }) => answersFollowEvidence(heard, after)),
  evidenceOnlyGrows: (competitor) =>
    randomHistories(competitor, ({ trimmed, before, after }) =>
      trimmed ? undefined : evidenceOnlyGrows(before, after),
    ),
  orderDoesNotMatter: (competitor) =>
    exhaustive(competitor, PAIR_ORDERS, sameInAnyOrder) ??
    exhaustive(competitor, TRIPLE_ORDERS, sameInAnyOrder) ??
    shuffledHistories(competitor),
  // A private replica has nobody beside it.
  seesSomeInstant: (competitor) =>
    competitor.words(TINY) === 0
      ? undefined
      : (lookupsBetweenStores(competitor) ?? lookupsHeldUp(competitor)),
};

/** Runs a search that reports sentences; returns the first one reported in its smallest history. */
function broken(search: (report: (sentence: string | undefined) => void) => void): string | undefined {
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

for (const { name, competitor } of competitors) {
  suite(name, () => {
    for (const [lawName, law] of Object.entries(laws))
      test(lawName, () => assert.equal(law(competitor), undefined));

    test("a bad claim is a RangeError and changes nothing", () => {
      const ownership = open(competitor, SMALL);
      ownership.claim(0, 1, 10, 20);
      ownership.claim(1, 2, 15, 30);
      const before = answersOf(ownership, SMALL);
      const bad: [number, number, number, number][] = [
        [0, 0, 5, 5],
        [0, 0, 6, 5],
        [0, 0, 1.5, 5],
        [0, 0, 1, 5.5],
        [0, 0, -1, 5],
        [0, 0, Number.NaN, 5],
        [0, 0, 0, 2 ** 53],
        [0, 0, 0, Number.POSITIVE_INFINITY],
        [2, 0, 1, 5],
        [-1, 0, 1, 5],
        [0.5, 0, 1, 5],
        [0, 4, 1, 5],
        [0, -1, 1, 5],
        [0, 0.5, 1, 5],
      ];
      for (const claim of bad) assert.throws(() => ownership.claim(...claim), RangeError, String(claim));
      assert.throws(() => ownership.claim(0, 0, 5, 5), /end must be after start/);
      assert.throws(() => ownership.ownerAt(2, 5), RangeError);
      assert.throws(() => ownership.trim(-1), RangeError);
      assert.throws(() => ownership.trim(Number.NaN), RangeError);
      assert.deepEqual(answersOf(ownership, SMALL), before);
    });

    test("a watermark forgets what is before it and nothing else, for ever", () => {
      const ownership = open(competitor, SMALL);
      ownership.claim(0, 1, 10, 20);
      ownership.trim(15);
      ownership.trim(12);
      assert.deepEqual(
        [14, 15, 19, 20].map((t) => ownership.ownerAt(0, t)),
        [NO_EVIDENCE, 1, 1, NO_EVIDENCE],
      );
      assert.equal(ownership.claim(0, 2, 3, 15), false, "a claim that comes too late");
      assert.equal(ownership.claim(0, 1, 3, 16), true, "a claim that reaches into kept time");
      assert.equal(ownership.ownerAt(0, 14), NO_EVIDENCE);
      ownership.trim(1000);
      assert.equal(ownership.ownerAt(0, 1000), NO_EVIDENCE);
      ownership.claim(0, 3, 1001, 1001 + SMALL.windowMs - 1);
      assert.equal(ownership.ownerAt(0, 1001), 3);
    });

    test("a claim past the window is a RangeError that changes nothing, or is kept and answered", () => {
      for (const watermark of [0, 1, SMALL.windowMs, 3 * SMALL.windowMs + 5])
        for (const [start, end] of [
          [0, 1],
          [-SMALL.windowMs, 1],
          [-1, SMALL.windowMs],
          [SMALL.windowMs - 1, SMALL.windowMs],
        ] as const) {
          const ownership = open(competitor, SMALL);
          const top = watermark + SMALL.windowMs;
          const kept = { resource: 0, owner: 1, start: watermark, end: top };
          const past = { resource: 0, owner: 2, start: top + start, end: top + end };
          ownership.trim(watermark);
          claimAll(ownership, [kept]);
          const claims = [kept];
          try {
            claimAll(ownership, [past]);
            claims.push(past);
          } catch (error) {
            assert.ok(error instanceof RangeError, String(error));
          }
          const answers = answersOf(ownership, SMALL, watermark);
          assert.equal(answersFollowEvidence({ claims, watermark }, answers), undefined);
        }
    });

    if (competitor.words(SMALL) === 0) return;
    test("what is in shared memory is all there is: a second worker sees it and can go on writing", () => {
      const [first, second] = openPair(competitor, SMALL);
      first.claim(0, 1, 10, 20);
      first.trim(12);
      second.claim(0, 2, 18, 30);
      const claims = [
        { resource: 0, owner: 1, start: 10, end: 20 },
        { resource: 0, owner: 2, start: 18, end: 30 },
      ];
      for (const ownership of [first, second])
        assert.equal(
          answersFollowEvidence({ claims, watermark: 12 }, answersOf(ownership, SMALL)),
          undefined,
        );
    });
  });
}

suite("liars", () => {
  for (const { name, competitor, breaks } of liars)
    test(`${name} is caught by ${breaks}`, () => assert.notEqual(laws[breaks]!(competitor), undefined));

  for (const [name, law] of Object.entries(laws))
    test(`${name} catches one`, () =>
      assert.ok(liars.some(({ competitor }) => law(competitor) !== undefined)));
});

/** Laws on totals, which only a race has, on numbers made by hand. */
const lawsOfTheRace: Record<string, () => void> = {
  claimsAreKept() {
    assert.equal(claimsAreKept(10, 10), undefined);
    assert.match(claimsAreKept(10, 9)!, /9 of 10/);
  },
  answersAreRight() {
    assert.equal(answersAreRight(10, 9, 1), undefined);
    assert.match(answersAreRight(10, 8, 1)!, /1 of 10 lookups gave a wrong answer/);
  },
  trimsForget() {
    assert.equal(trimsForget(0), undefined);
    assert.match(trimsForget(2)!, /2 lookups/);
  },
};

suite("laws of the race", () => {
  for (const [name, check] of Object.entries(lawsOfTheRace)) test(name, check);
});

test("every law has a liar, or numbers made by hand", () =>
  assert.deepEqual(
    Object.keys(lawsModule).sort(),
    [...Object.keys(laws), ...Object.keys(lawsOfTheRace)].sort(),
  ));

test("the oracle is a competitor", () => assert.ok(competitors.some(({ name }) => name === contract.oracle)));
