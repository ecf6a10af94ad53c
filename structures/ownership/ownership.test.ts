import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { competitorsOf, contractOf, liarsOf, loadCompetitor } from "../catalog.ts";
import { allocateRegion } from "../shared/layout.ts";
import {
  type Capacity,
  NO_EVIDENCE,
  type Ownership,
  type OwnershipCompetitor,
} from "./ownership.contract.ts";
import {
  type Answer,
  answersAreRight,
  answersFollowEvidence,
  type Claim,
  claimsAreKept,
  evidenceOnlyGrows,
  lookupsAddUp,
  orderDoesNotMatter,
} from "./ownership.laws.ts";

const contract = await contractOf("ownership");
const load = (url: string) => loadCompetitor(url, contract) as Promise<OwnershipCompetitor>;
const competitors = await Promise.all(
  competitorsOf("ownership").map(async ({ name, url }) => ({ name, competitor: await load(url) })),
);
const liars = await Promise.all(
  liarsOf("ownership").map(async ({ name, url }) => ({
    name,
    competitor: await load(url),
    breaks: ((await import(url)) as { breaks: string }).breaks,
  })),
);

const SMALL: Capacity = { resources: 2, owners: 4, windowMs: 64, rangesPerResource: 64 };

function open(competitor: OwnershipCompetitor, capacity: Capacity): Ownership {
  const memory = allocateRegion(competitor.words(capacity));
  competitor.format(memory, capacity);
  return competitor.attach(memory, capacity, { index: 0, workers: 1, role: "worker", seed: 1 });
}

/** What `ownership` says of each millisecond in 0 .. windowMs of each resource, and one past the window. */
function answersOf(ownership: Ownership, { resources, windowMs }: Capacity): Answer[] {
  const answers: Answer[] = [];
  for (let resource = 0; resource < resources; resource++)
    for (let t = 0; t <= windowMs; t++) answers.push({ resource, t, said: ownership.ownerAt(resource, t) });
  return answers;
}

function claimAll(ownership: Ownership, claims: readonly Claim[]): void {
  for (const { resource, owner, start, end } of claims) ownership.claim(resource, owner, start, end);
}

const claimArbitrary: fc.Arbitrary<Claim> = fc
  .record({
    resource: fc.nat({ max: SMALL.resources - 1 }),
    owner: fc.nat({ max: SMALL.owners - 1 }),
    start: fc.nat({ max: SMALL.windowMs - 1 }),
    length: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: SMALL.windowMs })),
  })
  .map(({ length, ...claim }) => ({ ...claim, end: Math.min(claim.start + length, SMALL.windowMs) }));
const opArbitrary = fc.oneof(
  { weight: 9, arbitrary: claimArbitrary },
  { weight: 1, arbitrary: fc.nat({ max: SMALL.windowMs }) },
);
const FIXED = { seed: 20250407, numRuns: 300 };

/** One random history under way: the claims and the watermark so far, and every answer before and after an op. */
interface Step {
  readonly claims: readonly Claim[];
  readonly watermark: number;
  readonly trimmed: boolean;
  readonly before: readonly Answer[];
  readonly after: readonly Answer[];
}

/** Random claims and watermarks; the law looks at every millisecond after each. */
function randomHistories(
  competitor: OwnershipCompetitor,
  law: (step: Step) => string | undefined,
): string | undefined {
  return broken((report) =>
    fc.assert(
      fc.property(fc.array(opArbitrary, { maxLength: 24 }), (ops) => {
        const ownership = open(competitor, SMALL);
        const claims: Claim[] = [];
        let watermark = 0;
        let before = answersOf(ownership, SMALL);
        for (const op of ops) {
          const trimmed = typeof op === "number";
          if (trimmed) {
            ownership.trim(op);
            watermark = Math.max(watermark, op);
          } else {
            claims.push(op);
            const accepted = ownership.claim(op.resource, op.owner, op.start, op.end);
            report(claimsAreKept(op.end > watermark ? 1 : 0, accepted ? 1 : 0));
          }
          const after = answersOf(ownership, SMALL);
          report(law({ claims, watermark, trimmed, before, after }));
          before = after;
        }
      }),
      FIXED,
    ),
  );
}

/** Random claims against the same ones shuffled, with some repeated. */
function shuffledHistories(competitor: OwnershipCompetitor): string | undefined {
  const histories = fc.array(claimArbitrary, { minLength: 1, maxLength: 12 }).chain((claims) =>
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

const follows = (history: Claim[], answers: Answer[]) => answersFollowEvidence(history, 0, answers);
const sameInAnyOrder = (_history: Claim[], answers: Answer[], firstAnswers: Answer[]) =>
  orderDoesNotMatter(firstAnswers, answers);

/** Every law by name, as a way of looking for a history that breaks it. */
const laws: Record<string, (competitor: OwnershipCompetitor) => string | undefined> = {
  answersFollowEvidence: (competitor) =>
    exhaustive(competitor, PAIR_ORDERS, follows) ??
    exhaustive(competitor, TRIPLE_ORDERS, follows) ??
    randomHistories(competitor, ({ claims, watermark, after }) =>
      answersFollowEvidence(claims, watermark, after),
    ),
  evidenceOnlyGrows: (competitor) =>
    randomHistories(competitor, ({ trimmed, before, after }) =>
      trimmed ? undefined : evidenceOnlyGrows(before, after),
    ),
  orderDoesNotMatter: (competitor) =>
    exhaustive(competitor, PAIR_ORDERS, sameInAnyOrder) ??
    exhaustive(competitor, TRIPLE_ORDERS, sameInAnyOrder) ??
    shuffledHistories(competitor),
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

    if (competitor.words(SMALL) === 0) return;
    test("what is in shared memory is all there is: a second worker sees it and can go on writing", () => {
      const memory = allocateRegion(competitor.words(SMALL));
      competitor.format(memory, SMALL);
      const seat = { workers: 2, role: "worker", seed: 1 };
      const first = competitor.attach(memory, SMALL, { ...seat, index: 0 });
      first.claim(0, 1, 10, 20);
      first.trim(12);
      const second = competitor.attach(memory, SMALL, { ...seat, index: 1 });
      second.claim(0, 2, 18, 30);
      const claims = [
        { resource: 0, owner: 1, start: 10, end: 20 },
        { resource: 0, owner: 2, start: 18, end: 30 },
      ];
      for (const ownership of [first, second])
        assert.equal(answersFollowEvidence(claims, 12, answersOf(ownership, SMALL)), undefined);
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

suite("laws of the race", () => {
  test("claimsAreKept", () => {
    assert.equal(claimsAreKept(10, 10), undefined);
    assert.match(claimsAreKept(10, 9)!, /9 of 10/);
  });
  test("answersAreRight", () => {
    assert.equal(answersAreRight(10, 9, 1), undefined);
    assert.match(answersAreRight(10, 8, 1)!, /1 of 10 lookups gave a wrong answer/);
  });
  test("lookupsAddUp", () => {
    assert.equal(lookupsAddUp(10, 5, 3, 2), undefined);
    assert.match(lookupsAddUp(10, 4, 3, 2)!, /4 hits/);
  });
});

test("the oracle is a competitor", () => assert.ok(competitors.some(({ name }) => name === contract.oracle)));
