import assert from "node:assert/strict";
import { it } from "node:test";
import type { SurveyRecord } from "../schema/record.ts";
import { isPictureFile } from "./charts.ts";
import { goldenPictures, recordOf } from "./races.synthetic.ts";
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

const FAILED: SurveyRecord["cells"][number] = {
  name: "locks/tail-1/mutant",
  competitor: "mutant",
  baseline: false,
  failure: { kind: "fault", reason: "it threw" },
  forks: [],
};

it("a family of tails as a picture: a panel for each worker count, the empty operation last", async (t) => {
  const { cells } = tailAt(1);
  const of = (...surveys: SurveyRecord[]) => ({ ...recordOf(), surveys });
  await goldenPictures(t, {
    "at one, two and more workers than cores": of(tailAt(4), tailAt(1), tailAt(2)),
    "one that failed, and one that is only at one worker": of(
      tailAt(1, { cells: [...cells, FAILED] }),
      tailAt(2, { cells: tailAt(2).cells.slice(1) }),
    ),
  });
});

it("it has a name of the family's first scenario, and is not there where nobody has a time", () => {
  const { file, scenarios } = pictureOfTail(tailGraphsOf([tailAt(1), tailAt(2)])[0]!);
  assert.deepEqual([file, scenarios, isPictureFile(file)], ["tail-1-times.svg", ["tail-1", "tail-2"], true]);
  assert.deepEqual(tailGraphsOf([tailAt(1, { cells: [FAILED] })]), []);
});
