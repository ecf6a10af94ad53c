import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SurveyRecord } from "../../engine/schema/record.ts";
import { isPictureFile } from "./charts.ts";
import { drawn as drawnFile, recordOf as emptyRecord, textsOf } from "./races.synthetic.ts";
import { pictureOfTail, tailGraphsOf } from "./tails.ts";

const SHARES = [0.5, 0.1, 0.01, 0.001];
const NAMES = ["ticket", "queue", "futex", "spinning"];

/** Three processes of each lock; all end within a few percent of one another. */
function tailAt(workers: number, more: Partial<SurveyRecord> = {}): SurveyRecord {
  return {
    primitive: "locks",
    scenario: `tail-${workers}`,
    title: `a lock: times of single operations, ${workers} worker${workers === 1 ? "" : "s"}`,
    metrics: {},
    tail: { family: "tail", workers, oversubscribed: workers > 2, intervalUs: 5, sharesBeyond: SHARES },
    cells: NAMES.map((competitor, index) => ({
      name: `locks/tail-${workers}/${competitor}`,
      competitor,
      baseline: competitor === "futex",
      forks: [{}, {}, {}],
      curves: [1, 2, 9].map((process) => ({
        response: SHARES.map((_, place) => workers * process * 10 ** (2 + place) * (1 + index / 100)),
        empty: [50, 60, 70],
      })),
    })),
    ...more,
  };
}

const failed = (competitor: string) => ({
  name: `locks/tail-1/${competitor}`,
  competitor,
  baseline: false,
  failure: { kind: "fault" as const, reason: "it threw" },
  forks: [],
});

function drawn(...surveys: SurveyRecord[]): Promise<string> {
  return drawnFile({ ...emptyRecord(), surveys }, "tail-1-times.svg");
}

describe("the picture of a family of tails", () => {
  it("has a panel for each worker count, by workers, with a row for each competitor and the empty operation last", () => {
    const [graph, ...others] = tailGraphsOf([tailAt(4), tailAt(1), tailAt(2)]);
    assert.deepEqual(others, []);
    assert.deepEqual(
      graph!.panels.map(({ workers, oversubscribed }) => [workers, oversubscribed]),
      [
        [1, false],
        [2, false],
        [4, true],
      ],
    );
    for (const { rows } of graph!.panels) {
      assert.deepEqual(
        rows.map(({ name }) => name),
        [...NAMES, "empty operation"],
      );
    }
  });

  it("draws the middle of the processes at the median, p99 and p99.9, as far as there are times", () => {
    const { rows } = tailGraphsOf([tailAt(1)])[0]!.panels[0]!;
    assert.deepEqual(rows[0]!.points, [
      { odds: 2, us: 0.2 },
      { odds: 100, us: 20 },
      { odds: 1000, us: 200 },
    ]);
    assert.deepEqual(rows.at(-1)!.points, [
      { odds: 2, us: 0.05 },
      { odds: 100, us: 0.07 },
    ]);
  });

  it("says in words from whom to whom, without the empty operation", () => {
    const { alt, file, scenarios } = pictureOfTail(tailGraphsOf([tailAt(1), tailAt(2)])[0]!);
    assert.match(
      alt,
      /at 1 worker from ticket \(p99\.9 200 us\) to spinning \(p99\.9 206 us\); at 2 workers /,
    );
    assert.doesNotMatch(alt, /empty/);
    assert.equal(file, "tail-1-times.svg");
    assert.ok(isPictureFile(file));
    assert.deepEqual(scenarios, ["tail-1", "tail-2"]);
  });

  it("leaves out who failed and says why, and is not there where nobody has a time", async () => {
    const { cells } = tailAt(1);
    assert.match(
      await drawn(tailAt(1, { cells: [...cells, failed("mutant")] })),
      /No number at 1 worker: mutant: it threw/,
    );
    assert.deepEqual(tailGraphsOf([tailAt(1, { cells: [failed("mutant")] })]), []);
  });

  it("names the rows of each panel, and says each time of them", async () => {
    const { cells } = tailAt(2);
    const svg = await drawn(tailAt(1), tailAt(2, { cells: cells.slice(1) }));
    const named = (name: string) => textsOf(svg).filter((text) => text === name).length;
    assert.deepEqual([...NAMES, "empty operation"].map(named), [1, 2, 2, 2, 2]);
    assert.match(svg, /aria-label="queue: p50 0\.202 us"/);
    assert.match(svg, /aria-label="queue: p99\.9 202 us"/);
    assert.equal(svg.match(/aria-label="[a-z ]+: p\d/g)!.length, 3 * (4 + 3) + 2 * 2);
  });

  it("is shaded where there are more workers than cores", async () => {
    assert.match(await drawn(tailAt(1), tailAt(4)), /Shaded: oversubscribed/);
    assert.doesNotMatch(await drawn(tailAt(1)), /Shaded/);
  });
});
