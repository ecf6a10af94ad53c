import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { describe, it } from "node:test";
import { competitorsOf, contractOf, loadCompetitors } from "../catalog.ts";
import { assertBroken, isBroken } from "./broken.ts";
import type { Examination } from "./contract.ts";
import { type Fault, faultsIn } from "./faults.ts";
import type { Mutant, MutantEntry } from "./mutants.ts";
import type { Traits } from "./traits.ts";

interface Lawful {
  readonly primitive: string;
  readonly examination: Examination;
  readonly mutants: readonly MutantEntry[];
  /** By name. */
  readonly laws: Readonly<Record<string, unknown>>;
  /** Of them, those that no mutant has to break. */
  readonly without?: readonly string[];
  /** How a mutant is examined, if not like a competitor. It may end at the law `breaks`. */
  readonly examineMutant?: (url: string, breaks: string) => Promise<string[]>;
  /** How often, at most, a mutant is examined until it is caught: on a crowded machine a racy one may be honest by chance. */
  readonly tries?: number;
  /** Set where a mutant may break no law but its own. */
  readonly isExact?: true;
  /** How many competitors and how many mutants are examined at the same time. */
  readonly concurrency?: readonly [competitors: number, mutants: number];
}

/**
 * Tests that every competitor keeps every law, that every mutant is caught by the law it breaks, that every law has a
 * mutant, and that the oracle competes. Returns the competitors.
 */
export async function testLaws<Competitor extends Traits>({
  primitive,
  examination,
  mutants,
  laws,
  without = [],
  examineMutant = (url) => examination.examine(url),
  tries = 1,
  isExact,
  concurrency = [1, 1],
}: Lawful) {
  const contract = await contractOf(primitive);
  const competitors = await loadCompetitors<Competitor>(primitive);

  describe(`${primitive}: every competitor keeps every law`, { concurrency: concurrency[0] }, () => {
    for (const { name, url, skip } of competitors)
      it(name, { skip }, async () => assert.deepEqual(await examination.examine(url), []));
  });

  describe(`${primitive}: every mutant is caught by the law it breaks`, {
    concurrency: concurrency[1],
  }, () => {
    for (const { name, url, breaks, isRacy } of mutants) {
      const skip = isRacy && availableParallelism() < 2 && "on one core workers hardly meet";
      it(name, { skip }, async () => {
        let broken: string[] = [];
        for (let left = tries; left > 0 && !isBroken(breaks, broken); left--)
          broken = await examineMutant(url, breaks);
        assertBroken(breaks, broken);
        if (isExact) assert.equal(broken.length, 1, broken.join("; "));
      });
    }
  });

  it(`${primitive}: every law has a mutant`, () => {
    const broken = new Set(mutants.map(({ breaks }) => breaks));
    assert.deepEqual(
      Object.keys(laws).filter((law) => !broken.has(law) && !without.includes(law)),
      [],
    );
  });

  it(`${primitive}: the oracle competes`, () =>
    assert.ok(competitors.some(({ name }) => name === contract.oracle)));
  return competitors;
}

/**
 * Tests that a model finds each fault by the law it breaks, and that each of its laws finds one: a law that no fault
 * breaks may be one that asks nothing. `explore` returns one sentence for each broken law, beginning with its name.
 */
export function findsFaults<Competitor, Law extends string, Fault extends Mutant<Competitor, Law>>(
  primitive: string,
  laws: readonly Law[],
  faults: Readonly<Record<string, Fault & Mutant<Competitor, Law>>>,
  explore: (mutant: Competitor, fault: Fault) => readonly string[],
): void {
  for (const [what, fault] of Object.entries(faults)) {
    it(`${fault.of}: ${what} breaks ${fault.breaks}`, async () => {
      const mutant = await fault.make((of) => competitorsOf(primitive).find(({ name }) => name === of)!.url);
      assertBroken(fault.breaks, explore(mutant, fault));
    });
  }

  it("every law finds a fault", () => {
    const broken = new Set(Object.values(faults).map(({ breaks }) => breaks));
    assert.deepEqual([...broken].sort(), [...laws].sort());
  });
}

/**
 * Tests that each fault in a file breaks its law, and that each law has one. `brokenBy` returns one sentence for each
 * broken law.
 */
export function faultsBreakLaws(
  file: URL,
  laws: Readonly<Record<string, unknown>>,
  brokenBy: (fault: Fault) => Promise<readonly (string | undefined)[]>,
): void {
  const faults = faultsIn(file);
  for (const fault of faults)
    it(`${fault.name} breaks ${fault.breaks}`, async () => {
      const broken = await brokenBy(fault);
      assertBroken(
        fault.breaks,
        broken.filter((sentence) => sentence !== undefined),
      );
    });

  it("every law has a fault", () => {
    const broken = new Set(faults.map(({ breaks }) => breaks));
    assert.deepEqual([...broken].sort(), Object.keys(laws).sort());
  });
}
