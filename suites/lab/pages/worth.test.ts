import { it } from "node:test";
import { goldenCases } from "../../engine/golden.trials.ts";
import { judgeScenario } from "../../engine/judge/judge.ts";
import { CALM, raceOf } from "../pictures/races.synthetic.ts";
import { type Weighed, worthText } from "./worth.ts";

const ANSWER = { text: "Take `half`: see [why](elsewhere.md) and [how](test.md).\n" };

function weighed(primitive: string, medians: Readonly<Record<string, number>>): Weighed {
  return { primitive, answer: ANSWER, races: [judgeScenario([raceOf(medians, 2, CALM)])] };
}

it("how much of a request a choice is", (t) => {
  const little = weighed("pick", { base: 20, half: 10, more: 30 });
  const labels = { lowerBounds: new Set(["half"]), oracle: "other", variants: new Set(["more"]) };
  goldenCases(t, "testdata/worth.md", {
    "what matters first": worthText([little, weighed("locks", { base: 20, half: 10, most: 100_000 })]),
    "no choice matters": worthText([little]),
    "a lower bound and a variant do not compete, and one alone is no choice": worthText([
      { ...little, labels: { ...labels, yardsticks: new Map() } },
    ]),
    "no race in the answer": worthText([{ ...little, answer: { text: "See [why](elsewhere.md)." } }]),
    "no answer": worthText([{ ...little, answer: undefined }]),
  });
});
