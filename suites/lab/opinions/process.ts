import { ALIVE_EVERY_MS, endWithParent } from "../../engine/measure/machine/patience.ts";
import { thrown } from "../../engine/measure/plan/failures.ts";
import { noOpinion, type Opinion } from "../schema/opinion.ts";
import { OpinionCell } from "./cell.ts";
import type { OpinionAnswer, Question } from "./opinion.ts";

/**
 * The process that a library measures in. Takes one question from its channel, reports while it is alive, answers with
 * one opinion and ends. The libraries are imported here only when asked for: mitata looks for its collector as it is
 * imported.
 */
process.once("message", async (question: Question) => {
  const opinion = await answer(question);
  say({ kind: "opinion", opinion }, () => process.exit(0));
});
// Ctrl-C reaches the whole process group; the parent decides what happens to it and kills this process.
process.on("SIGINT", () => {});
// Without its parent it has no one to answer.
process.once("disconnect", () => process.exit(1));
endWithParent();

async function answer(question: Question): Promise<Opinion> {
  try {
    const cell = await OpinionCell.attach(question.cell, aliveReporter());
    cell.warmUp(question.cpuMs);
    const opinion = await measured(question, cell);
    const broken = cell.brokenLaw();
    return broken === undefined ? opinion : noOpinion("law", broken);
  } catch (error) {
    return noOpinion("fault", thrown(error));
  }
}

/** Without its parent no process hears it, which the channel's end says better. */
function say(answer: OpinionAnswer, said = () => {}): void {
  process.send!(answer, said);
}

/** Reports to the parent, at once and then seldom enough that it does not disturb a measurement. */
function aliveReporter(): () => void {
  let saidMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = performance.now();
    if (nowMs - saidMs < ALIVE_EVERY_MS) return;
    saidMs = nowMs;
    say({ kind: "alive" });
  };
}

async function measured({ engine, cpuMs, memory }: Question, cell: OpinionCell): Promise<Opinion> {
  switch (engine) {
    case "mitata":
      return (await import("./mitata.ts")).measureWithMitata(cell, cpuMs, memory);
    case "tinybench":
      return (await import("./tinybench.ts")).measureWithTinybench(cell, cpuMs);
  }
}
