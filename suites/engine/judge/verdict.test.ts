import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Contrast } from "../schema/verdict.ts";
import { median, type Sample } from "../statistics.ts";
import { Random } from "../words/random.ts";
import { FEWEST_OF_GROUP } from "./division.ts";
import { gaussian } from "./judge.synthetic.ts";
import { contrast } from "./pairs.ts";
import type { Ratios } from "./samples.ts";
import {
  confidenceOf,
  estimateOf,
  evidenceOf,
  floorOf,
  intervalOf,
  isLook,
  judgeAt,
  judgeContrast,
  judgeLast,
  judgementOf,
  LEAST_FLOOR,
  LOOKS,
  robustScale,
  type Verdict,
  verdictOn,
  withoutOutliers,
} from "./verdict.ts";

/** What is seen of a row by its values in all processes, beside peers. */
function seen(values: Sample, peers: readonly Sample[], floor: number): Contrast {
  return contrast(ratiosOf(values), { peers, scale: robustScale([values, ...peers]), floor }, values.length);
}

/** Of processes of which nothing but their values is known. */
function ratiosOf(values: Sample): Ratios {
  const states = values.map(() => "any" as const);
  return { forks: [...values.keys()], values, states, processes: [], quiet: [], far: [] };
}

describe("a verdict on an interval", () => {
  const on = (low: number, high: number, floor: number) => verdictOn({ low, high }, floor);

  it("is faster or slower only wholly beyond the floor", () => {
    assert.equal(on(0.9, 0.98, 0.01), "faster");
    assert.equal(on(0.9, 0.995, 0.01), "cannot tell");
    assert.equal(on(1.02, 1.1, 0.01), "slower");
    assert.equal(on(1.02, 1.1, 0.03), "cannot tell");
  });

  it("is same wholly within 3 % and never wider, whatever the floor", () => {
    assert.equal(on(0.98, 1.02, 0.01), "same");
    assert.equal(on(0.98, 1.02, 0.1), "same");
    assert.equal(on(0.98, 1.04, 0.01), "cannot tell");
    assert.equal(on(0.96, 1.04, 0.05), "cannot tell");
    assert.equal(on(0.5, 2.37, 1.9), "no power", "what an unbounded floor once called the same");
  });

  it("calls a difference beyond the floor by its name, however small", () => {
    assert.equal(on(1.012, 1.02, 0.01), "slower");
  });

  it("has no power where it stays open beside a floor over 10 %, and nowhere else", () => {
    assert.equal(on(4.9, 5.1, 0.5), "slower");
    assert.equal(on(0.02, 0.03, 0.5), "faster");
    assert.equal(on(0.99, 1.01, 0.5), "same");
    assert.equal(on(1.05, 1.4, 0.101), "no power");
    assert.equal(on(1.11, 1.4, 0.1), "slower");
    assert.equal(on(1.05, 1.4, 0.1), "cannot tell");
  });

  it("turns round when the two sides change places", () => {
    for (const [low, high] of [
      [0.5, 0.6],
      [0.97, 0.985],
      [0.99, 1.01],
      [0.9, 1.2],
    ] as const) {
      const mirrored = {
        faster: "slower",
        slower: "faster",
        same: "same",
        depends: "depends",
        "cannot tell": "cannot tell",
        "no power": "no power",
      } as const;
      assert.equal(on(1 / high, 1 / low, 0.01), mirrored[on(low, high, 0.01)]);
    }
  });
});

describe("a judgement", () => {
  it("reports ratios, not logarithms, and how far the interval reaches as a share", () => {
    const { ratio, halfWidth } = judgementOf(
      { middle: Math.log(2), low: Math.log(1.9), high: Math.log(2.1) },
      0.01,
    );
    assert.ok(Math.abs(ratio.value - 2) < 1e-12 && Math.abs(ratio.low - 1.9) < 1e-12);
    assert.ok(Math.abs(halfWidth - (Math.sqrt(2.1 / 1.9) - 1)) < 1e-12);
  });

  it("would have shown every difference beyond what it sees, and none below", () => {
    const reach = Math.log(1.02);
    const around = (middle: number) =>
      judgementOf({ middle, low: middle - reach, high: middle + reach }, 0.01);
    const { sees } = around(0);
    assert.ok(Math.abs(sees - (1.02 * 1.01 - 1)) < 1e-12);
    assert.equal(around(Math.log1p(sees) + 1e-9).verdict, "slower");
    assert.equal(around(-Math.log1p(sees) - 1e-9).verdict, "faster");
    assert.notEqual(around(Math.log1p(sees) - 1e-9).verdict, "slower");
  });

  it("cannot tell anything from one fork", () => {
    const { verdict, halfWidth } = judgeAt(seen([1], [[0, 0.1]], 0.01), confidenceOf({ rows: 1, looks: 1 }));
    assert.equal(verdict, "cannot tell");
    assert.equal(halfWidth, Number.POSITIVE_INFINITY);
  });
});

describe("an interval", () => {
  const values = [0.01, 0.05, 0.09, 0.02, 0.04];
  const width = (rows: number, looks: number) => {
    const { low, high } = estimateOf(values, [], confidenceOf({ rows, looks }));
    return high - low;
  };

  it("is Student's of the values of forks, where a row has no peers", () => {
    // Mean 0.042, deviation 0.03114; t of 4 degrees of freedom at 99 % is 4.604.
    const { middle, low, high } = estimateOf(values, [], 0.99);
    assert.ok(Math.abs(middle - 0.042) < 1e-12);
    assert.ok(Math.abs((high - low) / 2 - (4.604 * 0.03114) / Math.sqrt(5)) < 1e-4);
  });

  it("is the wider, the more rows and looks share the error", () => {
    assert.ok(width(20, 1) > width(10, 1));
    assert.equal(width(10, 1), width(1, 1), "up to ten rows each has the error of a row");
    assert.ok(width(1, 8) > width(1, 1));
  });

  it("does not trust four forks that happen to agree where those of its peers do not", () => {
    const judged = (peers: number[][]) =>
      judgeAt(seen([0.1, 0.1, 0.1, 0.1], peers, 0.01), confidenceOf({ rows: 1, looks: 1 })).verdict;
    assert.equal(judged([]), "slower");
    assert.equal(judged([[0.2, -0.2, 0.2, -0.2]]), "cannot tell");
  });
});

describe("a variance that rows have in common", () => {
  /** How many of a number of equal rows, whose deviations differ by `unlike`, have 0 outside their interval after `forks`. */
  const missed = (unlike: number, rows: number, forks: number, tables: number) => {
    const random = new Random(5);
    let outside = 0;
    for (let table = 0; table < tables; table++) {
      const values = Array.from({ length: rows }, () => {
        const deviation = Math.exp(unlike * gaussian(random));
        return Array.from({ length: forks }, () => deviation * gaussian(random));
      });
      for (const own of values) {
        const peers = values.filter((other) => other !== own);
        const { low, high } = intervalOf(evidenceOf(own, peers, FEWEST_OF_GROUP), 0.99);
        if (low > 0 || high < 0) outside++;
      }
    }
    return outside / (rows * tables);
  };

  it("keeps the interval's error, however unlike the rows and however few the forks", () => {
    // One in a hundred, and what 12,000 rows that are not independent stray from it.
    for (const unlike of [0, 0.5, 1, 1.5])
      for (const forks of [3, 6, 12]) {
        const share = missed(unlike, 12, forks, 1000);
        assert.ok(share < 0.0145, `${share} with ${forks} forks of rows unlike by ${unlike}`);
      }
    for (const rows of [2, 3, 5]) assert.ok(missed(1, rows, 4, 3000) < 0.0145, `${rows} rows`);
  });

  it("makes intervals of three forks narrower by half where rows are alike", () => {
    const random = new Random(7);
    const rows = Array.from({ length: 12 }, () => Array.from({ length: 3 }, () => gaussian(random)));
    const widths = (peersOf: (own: readonly number[]) => number[][]) =>
      rows.map((own) => {
        const { low, high } = intervalOf(evidenceOf(own, peersOf(own), FEWEST_OF_GROUP), 0.999);
        return high - low;
      });
    const alone = median(widths(() => []));
    const together = median(widths((own) => rows.filter((other) => other !== own)));
    assert.ok(together < alone / 2, `${together} and ${alone}`);
  });
});

describe("the last judgement of a row", () => {
  const strictness = { rows: 1, looks: 7 };
  /** The errors of the intervals that were asked for, in shares of one look, where all of them cross 0. */
  const asked = (forks: number, low = -0.1, high = 0.1) => {
    const shares: number[] = [];
    judgeLast(
      (confidence) => {
        shares.push(Math.round(((1 - confidence) / (1 - confidenceOf(strictness))) * 1e6) / 1e6);
        return judgementOf({ middle: (low + high) / 2, low, high }, 0.01);
      },
      strictness,
      forks,
    );
    return shares;
  };

  it("spends on an open row what no look has spent", () => {
    assert.deepEqual(asked(4), [1, 7], "the first look is the last");
    assert.deepEqual(asked(5), [1, 6]);
    assert.deepEqual(asked(6), [1, 6]);
    assert.deepEqual(asked(13), [1, 3]);
    assert.deepEqual(asked(32), [1], "all looks were taken");
    assert.deepEqual(asked(40), [1], "of a record that had no looks beyond 32");
  });

  it("leaves a decided row the interval that decided it", () => {
    assert.deepEqual(asked(4, 0.1, 0.2), [1]);
    assert.deepEqual(asked(4, -0.01, 0.01), [1], "the same");
  });
});

describe("the noise floor of a scenario", () => {
  const control = (middle: number, error: number) => ({ middle, squaredError: error ** 2, freedom: 7 });

  it("is never below what compiled code alone moves", () => {
    assert.equal(floorOf([control(0.0001, 0.00005)]), LEAST_FLOOR);
    assert.equal(floorOf([]), LEAST_FLOOR);
  });

  it("is as far as A/A controls strayed, in either direction, less what chance does to them", () => {
    const expected = Math.expm1(Math.sqrt(0.04 ** 2 - 0.01 ** 2));
    for (const strayed of [0.04, -0.04])
      assert.ok(Math.abs(floorOf([control(strayed, 0.01)]) - expected) < 1e-12);
    assert.equal(floorOf([control(0.04, 0.05)]), LEAST_FLOOR, "within chance");
  });

  it("is hardly that of one control that was unlucky among exact ones", () => {
    const others = Array.from({ length: 7 }, () => control(0.001, 0.001));
    assert.ok(floorOf([control(0.1, 0.02), ...others]) < 0.0035);
  });

  it("is what a slow search finds: the variance at which the strays of all controls are as large as expected", () => {
    const random = new Random(7);
    for (let time = 0; time < 200; time++) {
      const controls = Array.from({ length: 1 + random.below(6) }, () =>
        control(0.05 * gaussian(random), 0.005 + 0.03 * random.fraction()),
      );
      // Weighted by what each control's own error leaves to say, so that the sum below rises with the variance.
      const missing = (variance: number) =>
        controls
          .map(({ middle, squaredError }) => (middle ** 2 - squaredError - variance) / squaredError)
          .reduce((a, b) => a + b);
      let [low, high] = [0, 1];
      for (let step = 0; step < 60; step++) {
        const middle = (low + high) / 2;
        if (missing(middle) > 0) low = middle;
        else high = middle;
      }
      const expected = Math.max(LEAST_FLOOR, Math.expm1(Math.sqrt(low)));
      assert.ok(Math.abs(floorOf(controls) - expected) < 1e-6);
    }
  });

  it("is the whole stray of a control of which no error is known", () => {
    const one = { middle: 0.05, squaredError: 0, freedom: 0 };
    assert.ok(Math.abs(floorOf([one, control(0.001, 0.001)]) - Math.expm1(0.05)) < 1e-12);
  });
});

describe("processes that do not weigh", () => {
  const far = Math.log(1.5);
  const six = (one: number) => [0, 0.001, 0, 0.002, 0.001, one];

  it("are one in six at most, if they lie over 1 % and five scales away", () => {
    assert.deepEqual(withoutOutliers(six(far), 0.001), [true, true, true, true, true, false]);
    assert.deepEqual(withoutOutliers(six(0.04), 0.001), [true, true, true, true, true, false]);
    assert.ok(withoutOutliers(six(0.009), 0.001).every(Boolean), "nearer than 1 %");
    assert.ok(withoutOutliers(six(far), 0.1).every(Boolean), "such is the noise");
    assert.ok(withoutOutliers(six(far).slice(1), 0.001).every(Boolean), "of five none");
    const twelve = [...six(far), ...six(-far)];
    assert.deepEqual(
      withoutOutliers(twelve, 0.001),
      twelve.map((value) => Math.abs(value) < far),
    );
  });

  it("are none where too many would be", () => {
    assert.ok(withoutOutliers([far, ...six(far).slice(1)], 0.001).every(Boolean));
  });

  it("are measured by a scale that they do not move", () => {
    const random = new Random(3);
    const rows = Array.from({ length: 60 }, () => Array.from({ length: 6 }, () => 0.02 * gaussian(random)));
    const scale = robustScale(rows);
    assert.ok(Math.abs(scale - 0.02) < 0.003, String(scale));
    const torn = rows.map((row, index) => (index % 2 === 0 ? [...row.slice(1), far] : row));
    assert.ok(Math.abs(robustScale(torn) - 0.02) < 0.006, String(robustScale(torn)));
    assert.equal(robustScale([[1], []]), 0);
  });

  it("do not widen a row", () => {
    const confidence = confidenceOf({ rows: 1, looks: 1 });
    const peers = [six(0.001), six(0)];
    const [calm, torn] = [six(0.001), six(far)].map((values) =>
      judgeAt(seen(values, peers, 0.003), confidence),
    );
    assert.equal(torn!.verdict, "same");
    assert.ok(torn!.halfWidth < 1.5 * calm!.halfWidth, `${torn!.halfWidth}, ${calm!.halfWidth}`);
  });
});

/** How the values of a row scatter from process to process: of crew and baseline, as logarithms. */
type Scatter = (random: Random) => number;

const normal =
  (deviation: number): Scatter =>
  (random) =>
    deviation * gaussian(random);

/** Student's t with three degrees of freedom. */
const heavyTailed =
  (deviation: number): Scatter =>
  (random) => {
    const squares = [0, 1, 2].reduce((sum) => sum + gaussian(random) ** 2, 0);
    return (deviation * gaussian(random)) / Math.sqrt(squares);
  };

/** One crew in twelve is compiled otherwise in a process, and is slower by 4 to 20 %. */
const compiledOtherwise =
  (deviation: number): Scatter =>
  (random) =>
    deviation * gaussian(random) + (random.fraction() < 1 / 12 ? 0.04 + 0.16 * random.fraction() : 0);

/** Of two levels 12 % apart, two in five processes have the upper. */
const twoLevels =
  (deviation: number): Scatter =>
  (random) =>
    deviation * gaussian(random) + (random.fraction() < 0.4 ? 0.12 : 0);

/** Each process begins where the one before it was, less three fifths. */
const drifting = (deviation: number): Scatter => {
  let at = 0;
  return (random) => (at = 0.4 * at + deviation * gaussian(random));
};

/** Races rows whose truth is known until each is decided, as a run does, and says what became of the rivals. */
function raced(truth: {
  tables: number;
  scatter: Scatter;
  log: number;
  /** Of the first rival, where that is another. */
  odd?: Scatter;
  most?: number;
}) {
  const { scatter, most = LOOKS.at(-1)! } = truth;
  const strictness = { rows: 6, looks: LOOKS.length };
  const random = new Random(11);
  const rivals = 6;
  const verdicts = { faster: 0, slower: 0, same: 0, depends: 0, "cannot tell": 0, "no power": 0 };
  for (let table = 0; table < truth.tables; table++) {
    // The A/A control first. All rows share the luck of the baseline in a fork.
    const rows = Array.from({ length: 1 + rivals }, (): number[] => []);
    const decided = new Set<number>();
    for (let fork = 1; fork <= most && decided.size < rivals; fork++) {
      const baseline = scatter(random);
      for (const [row, values] of rows.entries()) {
        if (decided.has(row)) continue;
        const own = row === 1 ? (truth.odd ?? scatter) : scatter;
        values.push((row === 0 ? 0 : truth.log) + own(random) - baseline);
      }
      if (!isLook(fork) && fork < most) continue;
      const floor = floorOf([evidenceOf(rows[0]!, rows.slice(1))]);
      for (const row of rows.keys()) {
        if (row === 0 || decided.has(row)) continue;
        const peers = rows.filter((_, other) => other !== row);
        const so = seen(rows[row]!, peers, floor);
        const { verdict } =
          fork < most ? judgeAt(so, confidenceOf(strictness)) : judgeContrast(so, strictness);
        if (!["faster", "slower", "same"].includes(verdict) && fork < most) continue;
        decided.add(row);
        verdicts[verdict]++;
      }
    }
  }
  return verdicts;
}

const wrong = ({ faster, slower }: Record<Verdict, number>) => faster + slower;

describe("racing until it is decided", () => {
  it("calls no equal faster or slower, at whichever look it stops", () => {
    for (const deviation of [0.002, 0.01, 0.03]) {
      const verdicts = raced({ tables: 150, scatter: normal(deviation), log: 0 });
      assert.ok(wrong(verdicts) <= 2, `${JSON.stringify(verdicts)} of 900 at ${deviation}`);
    }
  });

  it("calls no equal faster or slower where the time is up after few processes", () => {
    for (const most of [4, 5, 7, 12]) {
      const verdicts = raced({ tables: 150, scatter: normal(0.01), log: 0, most });
      assert.ok(wrong(verdicts) <= 3, `${JSON.stringify(verdicts)} of 900 after ${most}`);
    }
  });

  it("calls at most 5 equals in 1,000 faster or slower, however processes scatter", () => {
    for (const [name, scatter] of [
      ["heavy tails", heavyTailed(0.01)],
      ["compiled otherwise", compiledOtherwise(0.004)],
      ["two levels", twoLevels(0.003)],
      ["drifting", drifting(0.01)],
    ] as const) {
      for (const most of [4, 6, 8, 16]) {
        const verdicts = raced({ tables: 150, scatter, log: 0, most });
        assert.ok(wrong(verdicts) <= 4.5, `${name}: ${JSON.stringify(verdicts)} of 900 after ${most}`);
      }
    }
  });

  it("is hardly misled by one row that scatters five times as much as its peers", () => {
    const verdicts = raced({ tables: 300, scatter: normal(0.005), log: 0, odd: normal(0.025) });
    assert.ok(wrong(verdicts) <= 3, `${wrong(verdicts)} of 1800`);
  });

  it("shows 5 % where processes scatter by 1 %, and calls nothing by the wrong sign", () => {
    const verdicts = raced({ tables: 50, scatter: normal(0.01), log: Math.log(1.05) });
    assert.ok(verdicts.slower >= 0.99 * 300, JSON.stringify(verdicts));
    assert.equal(verdicts.faster, 0);
  });

  it("shows 5 % with eight processes though one crew in twelve is compiled otherwise", () => {
    const scatter = compiledOtherwise(0.004);
    const verdicts = raced({ tables: 100, scatter, log: Math.log(1.05), most: 8 });
    assert.ok(verdicts.slower >= 0.6 * 600, JSON.stringify(verdicts));
    assert.equal(verdicts.faster, 0);
  });

  it("calls equals the same where processes scatter by no more than 1 %", () => {
    const { same } = raced({ tables: 50, scatter: normal(0.01), log: 0 });
    assert.ok(same >= 0.99 * 300, String(same));
  });
});
