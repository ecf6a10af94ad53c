import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { EMPTY_ASYNC_TASK, EMPTY_TASK, type TaskAddress, urlOf } from "../capture/address.ts";
import { PROFILES } from "../measure/plan/plan.ts";
import type { Failure } from "../measure/plan/protocol.ts";
import type { GroupRecord } from "../schema/record.ts";
import { present } from "../words/present.ts";
import { groupsIn, type RacedTasks, raceTasks, type TaskRace, unracedText } from "./race-tasks.ts";

const folder = mkdtempSync(join(tmpdir(), "hotpath-tasks-"));
after(() => rmSync(folder, { recursive: true }));
const path = join(folder, "tasks.bench.mjs");
writeFileSync(
  path,
  `
import { readFileSync } from "node:fs";
const seen = new Set();
export const all = {
  sync: () => seen.add("sync"),
  async: async () => { seen.add("async"); },
  promising: () => Promise.resolve(),
  showsFlags: () => { throw new Error(readFileSync("/proc/self/cmdline", "utf8").split("\\0").join(" ")); },
  needsRivals: () => { if (seen.size < 2) throw new Error("saw " + seen.size + " others"); },
};
`,
);

function contestant(name: string, more: Partial<TaskAddress> = {}) {
  const key = { groups: ["all"], name, ordinal: 0 };
  return { label: name, url: urlOf({ file: pathToFileURL(path).href, ending: "pause", key, ...more }) };
}

async function raced(race: Omit<TaskRace, "title" | "baseline">): Promise<RacedTasks> {
  const ended: RacedTasks[] = [];
  await raceTasks([{ title: "all", baseline: 0, ...race }], {
    profile: {
      name: "test",
      secondsPerCell: 1,
      precision: 1,
      surveys: 1,
      exactly: { forks: 1, rounds: 4, warmUpSlices: 1, isCrowded: true },
    },
    seed: 1,
    raced: (one) => ended.push(one),
  });
  assert.equal(ended.length, 1);
  return ended[0]!;
}

/** Of each contestant, in order. */
function failuresOf({ race, results }: RacedTasks): (Failure | undefined)[] {
  const [{ crews } = { crews: [] }] = results.flatMap(({ forks }) => forks);
  return race.contestants.map((_, place) => crews.find(({ name }) => name === `t${place}`)!.failure);
}

describe("a race of tasks", () => {
  it("awaits what returns promises, and checks that each was called as often as is counted", async () => {
    const ended = await raced({
      workers: 1,
      contestants: [
        contestant("sync"),
        contestant("async", { isAsync: true }),
        { label: "nothing", url: EMPTY_TASK },
        { label: "nothing, awaited", url: EMPTY_ASYNC_TASK },
        contestant("promising"),
        contestant("needsRivals"),
        contestant("needsRivals", { isTogether: true }),
      ],
    });
    const fault = (reason: string) => ({ kind: "fault", reason: `worker 0: ${reason}` });
    assert.deepEqual(failuresOf(ended), [
      undefined,
      undefined,
      undefined,
      undefined,
      fault("it returned a promise, which not all of its operations do"),
      fault("saw 0 others"),
      undefined,
    ]);
    const crews = ended.results.flatMap(({ forks }) => forks.flatMap((fork) => fork.crews));
    for (const name of ["t0", "t1", "t2", "t3"]) {
      const { accounts } = crews.find((crew) => crew.name === name)!;
      assert.ok(accounts!.last.operations[0]! > 0);
      assert.deepEqual(accounts!.last.counters, [{ calls: accounts!.last.operations[0] }]);
    }
  });

  it("is named by its range where another of its group has raced", () => {
    const texts = [{}, { part: "async" }, { span: "53 ns to 3 us" }].map(unracedText);
    assert.deepEqual(
      texts,
      ["all tasks", "async", "53 ns to 3 us"].map((which) => `${which}: not raced, for the budget was over`),
    );
  });

  it("refuses promises on several workers", async () => {
    const ended = await raced({
      workers: 2,
      contestants: [{ label: "nothing", url: EMPTY_TASK }, contestant("async", { isAsync: true })],
    });
    const [floor, awaited] = failuresOf(ended);
    assert.equal(floor, undefined);
    assert.match(
      awaited!.reason,
      /^worker [01]: its operations return promises, which only one worker alone may run$/,
    );
  });

  it("is compiled alike where that is asked for, and its record and title say so", {
    skip: process.platform !== "linux" && "no /proc",
  }, async () => {
    const shown = contestant("showsFlags");
    for (const isCompiledAlike of [undefined, true] as const) {
      const how = present({ isCompiledAlike });
      const ended = await raced({ workers: 1, contestants: [shown, shown], ...how });
      const flags = failuresOf(ended)[0]!.reason;
      const [{ isCompiledAlike: isNoted, title }] = ended.groups as [GroupRecord];
      assert.deepEqual(
        [flags.includes(" --no-concurrent-recompilation "), isNoted, title],
        [isCompiledAlike === true, isCompiledAlike, isCompiledAlike ? "all, compiled alike" : "all"],
      );
    }
  });

  it("ends by itself where a task is compared with no other", () => {
    const race = { title: "alone", baseline: 0, workers: 1, contestants: [{ label: "a", url: EMPTY_TASK }] };
    const [alone] = groupsIn([race], PROFILES.standard);
    const [two] = groupsIn(
      [{ ...race, contestants: [...race.contestants, ...race.contestants] }],
      PROFILES.standard,
    );
    assert.deepEqual([alone!.forks, two!.forks], [8, 64]);
  });
});
