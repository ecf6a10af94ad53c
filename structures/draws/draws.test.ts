import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { competitorsOf, loadCompetitor } from "../catalog.ts";
import { itJudgesAsWritten } from "../interleave/calls.trials.ts";
import { testLaws } from "../shared/law-tests.ts";
import { contract, type DrawsCompetitor } from "./draws.contract.ts";
import { examination } from "./draws.examination.ts";
import * as laws from "./draws.laws.ts";
import { mutants } from "./draws.mutants.ts";
import { type Mapping, mappingOf, takeCensus } from "./parts/census.ts";

const load = (url: string) => loadCompetitor(url, contract) as Promise<DrawsCompetitor>;

// What is without a mutant is a race's stand-in, from the one sum it keeps, for what an examination learns from the draws.
await testLaws({ primitive: "draws", examination, mutants, laws, without: ["sumsScatter"] });

describe("draws: the census counts what arithmetic says", () => {
  // 2^32 = 7 x 613,566,756 + 4.
  const FLOOR = 613_566_756;
  const censusOf = async (name: string, bound: number) => {
    const { url } = competitorsOf("draws").find((entry) => entry.name === name)!;
    return takeCensus(mappingOf(await load(url), bound), bound);
  };

  for (const name of ["unsigned-modulo", "multiply-shift"])
    it(`${name}: four of the values below 7 have a word more`, async () =>
      assert.deepEqual(await censusOf(name, 7), {
        fewest: FLOOR,
        most: FLOOR + 1,
        accepted: 2 ** 32,
        rejected: [],
      }));

  it("masked-modulo: two of the values below 7 have two words more", async () =>
    // 2^31 = 7 x 306,783,378 + 2, twice.
    assert.deepEqual(await censusOf("masked-modulo", 7), {
      fewest: 2 * 306_783_378,
      most: 2 * 306_783_379,
      accepted: 2 ** 32,
      rejected: [],
    }));

  // The law lets a claim be as large as it likes, and the shelf prints it.
  for (const name of ["unsigned-modulo", "multiply-shift", "masked-modulo"])
    it(`${name}: claims less than twice the bias that it has below 7`, async () => {
      const { fewest, most } = (await censusOf(name, 7))!;
      const bias = Math.max((most * 7) / 2 ** 32 - 1, 1 - (fewest * 7) / 2 ** 32);
      const { url } = competitorsOf("draws").find((entry) => entry.name === name)!;
      const claimed = (await load(url)).biasBound(7);
      assert.ok(claimed < 2 * bias, `${claimed} over ${bias}`);
    });

  for (const [name, rejected] of Object.entries({
    // The first words of four values: their product with 7 has a low word below 2^32 mod 7.
    lemire: [0, 1, 3, 5].map((value) => Math.ceil((value * 2 ** 32) / 7)),
    // One run of four.
    "rejection-modulo": [2 ** 32 - 4],
  }))
    it(`${name}: all values below 7 have as many words, four are rejected`, async () =>
      assert.deepEqual(await censusOf(name, 7), {
        fewest: FLOOR,
        most: FLOOR,
        accepted: 2 ** 32 - 4,
        rejected,
      }));

  it("rejection-mask: a value below 2^20 + 1 has 2^11 words, nearly half are rejected", async () => {
    const { fewest, most, accepted } = (await censusOf("rejection-mask", 2 ** 20 + 1))!;
    assert.deepEqual([fewest, most, accepted], [2 ** 11, 2 ** 11, 2 ** 31 + 2 ** 11]);
  });

  it("counts a stretch that goes on from 0", () => {
    // 3, 4, 0, 1 and then nothing.
    const mapping: Mapping = (word) => (word < 4 ? (word + 3) % 5 : undefined);
    assert.deepEqual(takeCensus(mapping, 5), { fewest: 0, most: 1, accepted: 4, rejected: [4] });
  });

  it("gives up on words without runs, and on values out of range", () => {
    assert.equal(
      takeCensus((word) => Math.imul(word, 0x9e3779b1) >>> 31, 2),
      undefined,
    );
    assert.equal(
      takeCensus((word) => word % 8, 7),
      undefined,
    );
  });
});

itJudgesAsWritten(
  "draws: laws on histories made by hand",
  new URL("testdata/laws.txt", import.meta.url),
  laws,
);
