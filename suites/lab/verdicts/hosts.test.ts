import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gaussian } from "../../engine/judge/judge.synthetic.ts";
import { standardDeviation } from "../../engine/statistics.ts";
import { Random } from "../../engine/words/random.ts";
import { ratioForAnotherRun, type Standing, standingOf, verdictOfRuns } from "./hosts.ts";

const WORDS = ["faster", "slower", "same", "depends", "cannot tell", "no number"];

/** All sequences of this many words. */
function sequences(length: number): string[][] {
  if (length === 0) return [[]];
  return sequences(length - 1).flatMap((shorter) => WORDS.map((word) => [...shorter, word]));
}

/** By the words of the page: each pair of runs is looked at, and each verdict is counted. */
function slowVerdict(said: readonly string[]): string {
  const known = said.filter((word) => word !== "no number");
  for (const one of known)
    for (const other of known) if (`${one} ${other}` === "faster slower") return "reversed";
  for (const word of ["depends", "faster", "slower", "same"]) {
    const count = known.reduce((sum, one) => sum + (one === word ? 1 : 0), 0);
    if (word === "depends" ? count > 0 : count > known.length - count) return word;
  }
  return known.length > 0 ? "cannot tell" : "no number";
}

function slowStanding(hosts: readonly (readonly string[])[]): Standing {
  for (const [place, own] of hosts.entries())
    for (const one of own)
      for (const [elsewhere, others] of hosts.entries())
        for (const other of others)
          if (place !== elsewhere && `${one} ${other}` === "faster slower") return "depends on the machine";
  const verdicts = hosts.map(slowVerdict).toSorted();
  if (verdicts.some((verdict) => verdict === "reversed" || verdict === "depends"))
    return "depends within a host";
  if (verdicts.some((verdict) => verdict === "no number" || verdict === "cannot tell")) return "open";
  return verdicts[0] === verdicts.at(-1) ? "holds" : "differs";
}

describe("what hosts say of a row", () => {
  it("is the verdict of more than half of the runs of one, unless two contradict each other", () => {
    for (const said of [1, 2, 3, 4].flatMap(sequences))
      assert.equal(verdictOfRuns(said), slowVerdict(said), said.join());
  });

  it("holds where all say the same, and depends on the machine where two runs of two hosts are reversed", () => {
    const hosts = [1, 2].flatMap(sequences);
    for (const one of hosts)
      for (const other of hosts) {
        const all = [one, other];
        const hosts = all.map((said) => ({ said }));
        assert.equal(standingOf(hosts), slowStanding(all), all.join(" | "));
      }
  });

  it("of three hosts depends on any two", () => {
    const standing = (...words: readonly string[]) => standingOf(words.map((word) => ({ said: [word] })));
    assert.equal(standing("same", "faster", "slower"), "depends on the machine");
    assert.equal(standing("same", "same", "cannot tell"), "open");
  });

  it("is open where the interval of a host includes 1, unless it says the same", () => {
    const standing = (word: string, low: number, high: number) =>
      standingOf([{ said: [word] }, { said: [word], ratio: { value: 1, low, high } }]);
    assert.equal(standing("slower", 0.97, 1.6), "open");
    assert.equal(standing("faster", 0.6, 1), "open");
    assert.equal(standing("slower", 1.01, 1.6), "holds");
    assert.equal(standing("faster", 0.6, 0.99), "holds");
    assert.equal(standing("same", 0.99, 1.01), "holds");
  });
});

describe("the interval for another run", () => {
  /** Of Student's t, from printed tables. */
  const QUANTILES = { 2: 12.706, 3: 4.303, 5: 2.776 };

  for (const [runs, quantile] of Object.entries(QUANTILES)) {
    it(`is that of ${runs} values and one more, where a row has no peers`, () => {
      const values = Array.from({ length: Number(runs) }, (_, run) => 0.01 * run);
      const { value, low, high } = ratioForAnotherRun(values, []);
      const reach = quantile * standardDeviation(values) * Math.sqrt(1 + 1 / values.length);
      assert.ok(Math.abs(Math.log(high / value) - reach) < 1e-3 * reach);
      assert.ok(Math.abs(Math.log(value / low) - reach) < 1e-3 * reach);
    });
  }

  it("has another run in it 95 times of 100, whether or not rows scatter alike", () => {
    const random = new Random(7);
    for (const unlike of [1, 3]) {
      let [inside, all] = [0, 0];
      for (let table = 0; table < 300; table++) {
        const rows = Array.from({ length: 9 }, (_, row) => {
          const deviation = 0.05 * (row % 2 === 0 ? 1 : unlike);
          return Array.from({ length: 6 }, () => deviation * gaussian(random));
        });
        const seen = rows.map((row) => row.slice(0, 5));
        for (const [row, values] of seen.entries()) {
          const { low, high } = ratioForAnotherRun(values, seen.toSpliced(row, 1));
          const another = Math.exp(rows[row]![5]!);
          if (low < another && another < high) inside++;
          all++;
        }
      }
      assert.ok(inside / all > 0.935 && inside / all < 0.965, String(inside / all));
    }
  });
});
