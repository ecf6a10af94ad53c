import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type CheckedCellRecord,
  type CheckedGroupRecord,
  READINGS,
  type Reading,
} from "../schema/calibration.ts";
import { noOpinion, type Opinion } from "../schema/opinion.ts";
import { agreementOf, fullSpeedOf, isApart } from "./agreement.ts";

/** What one saw in a turn: all batches alike, or with a mean of its own. */
function seen(median: number, mean = median): Opinion {
  const nsPerOperation = { mean, median, min: median, p75: median, p99: 3 * median, max: 4 * median };
  return { nsPerOperation, samples: 100, batch: 10, flags: [] };
}

type Medians = Readonly<Record<Reading, readonly (number | Opinion)[]>>;

const group: CheckedGroupRecord = {
  primitive: "pick",
  scenario: "uniform-8",
  title: "made up",
  operation: "pick",
  sliceMs: 2,
  crews: 11,
  cells: [],
};

function cellOf(medians: Medians): CheckedCellRecord {
  const turns = medians.alone.map((_, turn) => {
    const [alone, raced, mitata, tinybench] = READINGS.map((reading) => {
      const value = medians[reading][turn]!;
      return typeof value === "number" ? seen(value) : value;
    });
    return { alone: alone!, raced: raced!, mitata: mitata!, tinybench: tinybench! };
  });
  return { name: "pick/uniform-8/made-up/1w", competitor: "made-up", turns };
}

function check(medians: Medians) {
  const agreement = agreementOf(cellOf(medians), group, undefined);
  const reasons = Object.fromEntries(
    agreement.pairs.filter(isApart).map(({ a, b, reason }) => [`${a}/${b}`, reason?.kind ?? "unexplained"]),
  );
  return { agreement, reasons };
}

describe("the state that is compared", () => {
  /** Twice as much in all samples as in the quiet ones, and the tag of the core at full speed. */
  const tagged = (median: number, fullSpeedNs: number, quiet = true): Opinion => ({
    ...seen(2 * median),
    fullSpeedNs,
    ...(quiet ? { quiet: { nsPerOperation: seen(median).nsPerOperation!, samples: 30 } } : {}),
  });
  const everybody = (of: (reading: Reading, turn: number) => Opinion) => {
    const turnsOf = (reading: Reading) => [0, 1].map((turn) => of(reading, turn));
    const [alone, raced, mitata, tinybench] = READINGS.map(turnsOf);
    return cellOf({ alone: alone!, raced: raced!, mitata: mitata!, tinybench: tinybench! });
  };
  const medianOf = (cell: CheckedCellRecord) => {
    const fullSpeedNs = fullSpeedOf([{ ...group, cells: [cell] }]);
    const { state, summaries } = agreementOf(cell, group, fullSpeedNs);
    return [state, summaries.get("mitata")!.median];
  };

  it("is the quiet one if every reading has seen it in some turn", () => {
    assert.deepEqual(medianOf(everybody((_, turn) => tagged(10, 10.8, turn === 1))), ["quiet", 10]);
    const but = (other: Opinion) =>
      medianOf(everybody((reading) => (reading === "raced" ? other : tagged(10, 10.8))));
    assert.deepEqual(but(tagged(10, 10.8, false)), ["any", 20]);
  });

  it("is not what a process took for quiet that never met the full speed", () => {
    assert.deepEqual(medianOf(everybody((reading) => tagged(10, reading === "alone" ? 10.8 : 21.6))), [
      "any",
      20,
    ]);
  });

  it("is any without tags", () => {
    assert.deepEqual(medianOf(everybody(() => seen(20))), ["any", 20]);
  });
});

describe("whether the judges that measured a cell agree", () => {
  it("compares the middle turn of each two, whichever is larger", () => {
    const { agreement, reasons } = check({
      alone: [100, 100, 100],
      raced: [1000, 109, 1],
      mitata: [91, 91, 91],
      tinybench: [100, 100, 100],
    });
    assert.equal(agreement.pairs.length, 6);
    assert.equal(agreement.summaries.get("raced")!.median, 109);
    // Of the six only these two are more than a tenth apart, and one of them has been everywhere.
    assert.deepEqual(reasons, { "raced/mitata": "moves" });
  });

  it("says that a figure moves only where the ranges of the two meet", () => {
    const meeting = check({
      alone: [10, 10, 13],
      raced: [10, 10, 10],
      mitata: [12, 12.5, 12.5],
      tinybench: [10, 10, 10],
    });
    assert.equal(meeting.reasons["alone/mitata"], "moves");
    assert.match(
      meeting.agreement.pairs.find(({ b }) => b === "mitata")!.reason!.text,
      /the figure of alone itself moves by 30 %/,
    );
    const apart = check({
      alone: [10, 10, 11],
      raced: [10, 10, 10],
      mitata: [12, 12.5, 12.5],
      tinybench: [10, 10, 10],
    });
    assert.equal(apart.reasons["alone/mitata"], "unexplained");
  });

  it("says mean against median only where the mean agrees with the lab", () => {
    const skewed = (...means: readonly [number, number, number]) =>
      check({
        alone: [20, 20, 20],
        raced: [20, 20, 20],
        mitata: means.map((mean) => seen(10, mean)),
        tinybench: [20, 20, 20],
      });
    const { agreement, reasons } = skewed(21, 21, 21);
    assert.deepEqual(reasons, {
      "alone/mitata": "skewed",
      "raced/mitata": "skewed",
      "mitata/tinybench": "unexplained",
    });
    const { reason } = agreement.pairs.find(({ a, b }) => a === "alone" && b === "mitata")!;
    assert.match(reason!.text, /within 5\.0 %; its p99 is 3\.0 times its median/);
    assert.equal(skewed(14, 14, 14).reasons["alone/mitata"], "unexplained");
    const now = skewed(14, 14, 28).agreement.pairs.find(({ a, b }) => a === "alone" && b === "mitata")!;
    assert.match(now.reason!.text, /agrees .* in some processes \(it moves by 100 %\)/);
  });

  it("takes for a reason only what leaves no more than half of the difference", () => {
    const barely = (mean: number, alone: number) =>
      check({
        alone: [alone, alone, alone],
        raced: [11.2, 11.2, 11.2],
        mitata: Array.from({ length: 3 }, () => seen(10, mean)),
        tinybench: [alone, alone, alone],
      }).reasons["raced/mitata"];
    // Means and the lab alone within a tenth of the lab raced, and yet next to the median.
    assert.equal(barely(10.3, 10.9), "unexplained");
    assert.equal(barely(10.9, 10.9), "skewed");
    assert.equal(barely(10.3, 10.3), "raced");
  });

  it("says cold caches only where the lab alone agrees with a library and takes longer raced", () => {
    const cold = check({
      alone: [10, 10, 10],
      raced: [15, 15, 15],
      mitata: [10, 10, 10],
      tinybench: [10.5, 10.5, 10.5],
    });
    assert.deepEqual(cold.reasons, {
      "alone/raced": "raced",
      "raced/mitata": "raced",
      "raced/tinybench": "raced",
    });
    const texts = cold.agreement.pairs.flatMap(({ reason }) => reason?.text ?? []);
    assert.match(texts[0]!, /with 10 other crews.* takes 50 % longer.*mitata or tinybench within 0\.0 %/);
    assert.match(texts[2]!, /agrees with tinybench within 5\.0 %/);
    const faster = check({
      alone: [15, 15, 15],
      raced: [10, 10, 10],
      mitata: [15, 15, 15],
      tinybench: [15, 15, 15],
    });
    assert.equal(faster.reasons["raced/mitata"], "unexplained");
    const alone = check({
      alone: [10, 10, 10],
      raced: [15, 15, 15],
      mitata: [30, 30, 30],
      tinybench: [30, 30, 30],
    });
    assert.deepEqual(new Set(Object.values(alone.reasons)), new Set(["unexplained"]));
  });

  it("has no pairs with a reading that failed in any turn, and keeps why", () => {
    const { agreement } = check({
      alone: [10, 10],
      raced: [10, 10],
      mitata: [10, noOpinion("law", "rotation is not conserved")],
      tinybench: [10, 10],
    });
    assert.equal(agreement.pairs.length, 3);
    assert.deepEqual([...agreement.failures], [["mitata", "rotation is not conserved"]]);
  });

  it("shows what mitata weighed in whichever turn it did, and each warning once", () => {
    const weighed = {
      ...seen(10),
      heapBytesPerOperation: 48,
      gcNsPerOperation: 0,
      flags: ["likely optimized out"],
    };
    const { agreement } = check({
      alone: [10, 10],
      raced: [10, 10],
      mitata: [weighed, { ...seen(10), flags: ["likely optimized out"] }],
      tinybench: [10, 10],
    });
    assert.equal(agreement.heapBytesPerOperation, 48);
    assert.equal(agreement.gcNsPerOperation, 0);
    assert.deepEqual(agreement.flags, ["mitata: likely optimized out"]);
  });
});
