import assert from "node:assert/strict";
import { it } from "node:test";
import type { SurveyRecord } from "../record/record.ts";
import { surveyText } from "./pages.ts";

const survey: SurveyRecord = {
  primitive: "synthetic",
  scenario: "held",
  title: "what they hold",
  metrics: {
    bytes: { title: "Bytes", unit: "B", digits: 1 },
    pause: { title: "Pause", unit: "us", digits: 0 },
  },
  absent: [{ competitor: "giant", reason: "too large" }],
  cells: [
    {
      name: "",
      competitor: "first",
      baseline: true,
      forks: [
        { bytes: 16, pause: 3 },
        { bytes: 16, pause: 9 },
      ],
    },
    { name: "", competitor: "still", baseline: false, forks: [{ bytes: 20.25 }] },
    {
      name: "",
      competitor: "liar",
      baseline: false,
      failure: { kind: "law", reason: "it lost 3" },
      forks: [{ bytes: 1, pause: 1 }],
    },
  ],
};

it("a survey's table has the middle and the range of each figure, and no figure of one that failed", () => {
  const rows = surveyText(survey, 2)
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const rowOf = (name: string) => rows.find(([, competitor]) => competitor === name)!.slice(2, -1);
  assert.deepEqual(rowOf("first"), ["16.0", "6 (3-9)", "baseline"]);
  assert.deepEqual(rowOf("still").slice(0, 1), ["20.3"]);
  assert.match(rowOf("liar").at(-1)!, /it lost 3/);
  assert.ok(!rowOf("liar").includes("1.0"));
  assert.match(surveyText(survey, 2), /in 2 processes of its own/);
  assert.match(surveyText(survey, 2), /Not here, too large: giant\./);
});
