import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { judgeScenario } from "../../engine/judge/judge.ts";
import type { Described } from "../../engine/measure/plan/described.ts";
import { type GroupPlan, LAB_RUNTIME, scenarioOf } from "../../engine/measure/plan/plan.ts";
import { forkEstimateMs } from "../../engine/measure/plan/timing.ts";
import type { GroupResult } from "../../engine/measure/run/watched.ts";
import type { GroupRecord } from "../../engine/schema/record.ts";
import type { RacedRuntime } from "../../engine/schema/verdict.ts";
import { askRuntimes } from "../asked-runtimes.ts";
import { surveyRecord } from "../kinds/assemble-metrics.ts";
import type { SurveyResult } from "../kinds/outcomes.ts";
import { type Done, NOTHING_DONE } from "../kinds/pace.ts";
import type { LabPlan, SurveyPlan } from "../kinds/plan.ts";
import { runPlan } from "../kinds/run.ts";
import { LabRacing } from "../racing.ts";
import { absentEverywhere, smokeRequest, syntheticRequest } from "../request.synthetic.ts";
import { doneIn } from "../resume.ts";
import { LAB_RUNTIMES, notInstalled, startOf } from "../runtimes/runtimes.ts";
import { syntheticRecord } from "../schema/record.synthetic.ts";
import type { SurveyRecord } from "../schema/record.ts";
import { checkRecord } from "../schema/record-file.ts";
import type { Request } from "./asked.ts";
import { type AskedRuntime, runtimesPlan } from "./runtime-plan.ts";

let request: Request;
before(async () => {
  request = await syntheticRequest({ filters: ["pick/uniform-8/cas-ring"], workers: [1] });
});

/** A runtime on which competitors are as the lab knows them, except the ones that `changed` changes. */
function runtime(
  name: string,
  changed = (described: Described, _url: string): Described => described,
): AskedRuntime {
  const described = new Map([...request.described].map(([url, own]) => [url, changed(own, url)]));
  return { name, version: `${name} 1`, engine: `${name}'s`, start: { file: name, args: [] }, described };
}

function groupsOf({ groups }: LabPlan) {
  return new Map(groups.map((group) => [group.scenario, group]));
}

/** The same plan where one of its runtimes is of another version. */
function updated(plan: LabPlan, name: string): LabPlan {
  const updatedOf = (own: RacedRuntime) => (own.name === name ? { ...own, version: "another" } : own);
  const groups = plan.groups.map((group) => ({ ...group, runtimes: group.runtimes!.map(updatedOf) }));
  const surveys = plan.surveys.map((planned): SurveyPlan => {
    return { ...planned, runtimes: [updatedOf(planned.runtimes![0])] };
  });
  return { ...plan, groups, surveys };
}

describe("a plan for several runtimes", () => {
  it("races a competitor against itself, each runtime and the A/A control in a process of its own", () => {
    const across = groupsOf(runtimesPlan(request, [runtime("a"), runtime("b")])).get("uniform-8@cas-ring")!;
    assert.deepEqual(
      across.crews.map(({ name, kind, remote }) => [name, kind, remote?.name, remote?.runtime]),
      [
        ["cas-ring@a", "baseline", "a", "a"],
        ["cas-ring@a~aa1", "aa-control", "cas-ring@a~aa1", "a"],
        ["cas-ring@b", "rival", "b", "b"],
        ["~control", "control", "a", "a"],
        ["~empty", "empty", "a", "a"],
      ],
    );
    assert.equal(across.rows, 2);
    assert.deepEqual(
      across.runtimes?.map(({ name, version, engine }) => [name, version, engine]),
      [
        ["a", "a 1", "a's"],
        ["b", "b 1", "b's"],
      ],
    );
  });

  it("has as many rows to judge as all races of a scenario's competitors against themselves, which are one matrix", async () => {
    const both = await syntheticRequest({
      filters: ["pick/uniform-8/cas-ring", "pick/uniform-8/shuffled-round-robin"],
      workers: [1],
    });
    const groups = runtimesPlan(both, [runtime("a"), runtime("b")]).groups.filter(
      ({ runtimes }) => runtimes!.length > 1,
    );
    assert.deepEqual(
      groups.map(({ rows }) => rows),
      [4, 4],
    );
  });

  it("races the competitors of each runtime in one process, under their own names", () => {
    const groups = groupsOf(runtimesPlan(request, [runtime("a"), runtime("b")]));
    for (const name of ["a", "b"]) {
      const within = groups.get(`uniform-8@${name}`)!;
      assert.ok(within.crews.some((crew) => crew.name === "cas-ring"));
      assert.ok(within.crews.every(({ remote }) => remote?.name === name && remote.start.file === name));
    }
  });

  it("names what is imported by its own name", () => {
    for (const { scenario } of runtimesPlan(request, [runtime("a"), runtime("b")]).groups) {
      assert.equal(scenarioOf(scenario), "uniform-8");
    }
  });

  it("of one runtime races its competitors, and none against itself", () => {
    assert.deepEqual([...groupsOf(runtimesPlan(request, [runtime("a")])).keys()], ["uniform-8@a"]);
  });

  it("leaves a competitor out where it says that it cannot run, with that reason", () => {
    const without = runtime("b", (described, url) =>
      url.endsWith("/cas-ring.ts") ? absentEverywhere(described) : described,
    );
    const groups = groupsOf(runtimesPlan(request, [runtime("a"), without, runtime("c")]));
    const across = groups.get("uniform-8@cas-ring")!;
    assert.deepEqual(
      across.crews.filter(({ kind }) => kind === "rival").map(({ name }) => name),
      ["cas-ring@c"],
    );
    const reason = "no such thing here";
    assert.deepEqual(across.absent, [{ competitor: "cas-ring@b", reason }]);
    assert.ok(!groups.has("uniform-8@b"), "nothing else was asked for there");
    assert.ok(groups.has("uniform-8@c"));
  });

  it("has no more structures in a group that cannot be moved than there are elsewhere", async () => {
    const name = "node-set-timeout";
    const large = await syntheticRequest({ filters: [`timers/refresh-100k/${name}`], workers: [1] });
    const runtimes = ["a", "b", "c", "d", "e"].map((one) => ({
      ...runtime(one),
      described: large.described,
    }));
    const { groups } = runtimesPlan(large, runtimes);
    const across = groups.filter(({ scenario }) => scenario === `refresh-100k@${name}`);
    const rivalsOf = ({ crews }: GroupPlan) =>
      crews.filter(({ kind }) => kind === "rival").map((crew) => crew.name);
    assert.deepEqual(across.map(rivalsOf), [
      [`${name}@b`, `${name}@d`],
      [`${name}@c`, `${name}@e`],
    ]);
    assert.deepEqual(
      across.map(({ rows, runtimes: raced }) => [rows, raced!.map((one) => one.name)]),
      [
        [5, ["a", "b", "d"]],
        [5, ["a", "c", "e"]],
      ],
    );
    assert.equal(new Set(across.map(({ race }) => race.title)).size, 1, "they are one table");
  });

  it("surveys bytes on each runtime, and says why not where nothing counts them", async () => {
    const bytes = await syntheticRequest({
      filters: ["ownership/bytes/flat-sorted-arrays", "pick/uneven-backends"],
    });
    const counting = { ...runtime("a"), counters: ["heapUsed"] as const };
    const { groups, surveys } = runtimesPlan(bytes, [counting, runtime("b")]);
    assert.deepEqual(groups, []);
    assert.deepEqual(
      surveys.map(({ scenario, entries, counters, remote, runtimes }) => [
        scenario,
        entries.map(({ name }) => name),
        counters,
        remote?.runtime,
        runtimes?.[0].version,
      ]),
      [
        ["bytes@a", ["flat-sorted-arrays"], ["heapUsed"], "a", "a 1"],
        ["bytes@b", [], undefined, "b", "b 1"],
      ],
    );
    assert.deepEqual(surveys[1]!.absent.at(-1), {
      competitor: "flat-sorted-arrays",
      reason: "b 1 has no counters of all that is held, shared memory included",
    });
  });

  it("is estimated to take longer by what an order to another process and its answer take, slice by slice", () => {
    const group = groupsOf(runtimesPlan(request, [runtime("a")])).get("uniform-8@a")!;
    const extraMs = (rounds: number) => {
      const own = { ...group, rounds, crews: group.crews.map(({ remote: _, ...crew }) => crew) };
      return forkEstimateMs({ ...group, rounds }) - forkEstimateMs(own);
    };
    const processMs = extraMs(0);
    assert.ok(processMs > 0, "its process has to start");
    // Baseline, A/A control and rival in turn, and in every fourth round the control and the empty operation.
    const slices = 1.5 * 2 + 2 / 4;
    assert.ok(Math.abs((extraMs(1000) - processMs) / (1000 * slices) - 0.08) < 1e-9);
  });

  it("is refused where no race is asked for", () => {
    assert.throws(
      () => runtimesPlan({ ...request, filters: ["heartbeats/storm"] }, [runtime("a")]),
      /^Error: --runtimes is for races/,
    );
  });
});

describe("a race of the runtimes that are installed", () => {
  const installed = LAB_RUNTIMES.filter((name) => startOf(name) !== undefined);
  // One more in any case, which is the lab's own in a process of another name.
  const runtimes = [
    ...installed.map((name) => ({ name, start: startOf(name)! })),
    { name: "again", start: startOf(LAB_RUNTIME)! },
  ];
  const missing = LAB_RUNTIMES.filter((name) => !installed.includes(name)).map(notInstalled);

  it(["leads to a record that distinguishes them, in one go or two", ...missing].join("; "), async () => {
    const filters = ["pick/uniform-8/cas-ring", "ownership/bytes/flat-sorted-arrays"];
    const asked = await smokeRequest({ filters, workers: [1] });
    const plan = runtimesPlan(asked, await askRuntimes("--runtimes", runtimes, asked.filters, asked.size));
    const records: GroupRecord[] = [];
    const surveys: SurveyRecord[] = [];
    const goOn = async (done: Done, stop: AbortController) => {
      const racing = new LabRacing(records, undefined, true);
      const observer = {
        progress() {},
        raced(group: GroupResult) {
          racing.finish(group);
          if (done === NOTHING_DONE) stop.abort();
        },
        simulated() {},
        surveyed: (result: SurveyResult) => surveys.push(surveyRecord(result)),
      };
      await runPlan(plan, observer, stop.signal, { done, needed: (...heard) => racing.needed(...heard) });
    };
    await goOn(NOTHING_DONE, new AbortController());
    const interrupted = { ...syntheticRecord([...records], 1), interrupted: true };
    const done = doneIn(interrupted, plan, interrupted);
    assert.deepEqual(done, { ...NOTHING_DONE, groups: 1 });
    await goOn(done, new AbortController());
    assert.deepEqual(
      records.map(({ scenario }) => scenario),
      plan.groups.map(({ scenario }) => scenario),
    );
    assert.throws(
      () => doneIn(interrupted, updated(plan, LAB_RUNTIME), interrupted),
      /^Error: the record was made on Node\.js \S+ \(V8 \S+\), and that is another \(V8 \S+\) now: start anew$/,
    );
    checkRecord({ ...syntheticRecord(records, 1), surveys }, "it");
    for (const { scenario, cells, absent = [] } of surveys) {
      const [cell] = cells;
      assert.equal(cell?.failure, undefined, scenario);
      assert.ok(cell === undefined ? absent.length > 0 : cell.forks.length === 1, scenario);
    }
    const names = runtimes.map(({ name }) => name);
    const racedOn = (scenario: string) => {
      const { cells, runtimes: known } = records.find((group) => group.scenario === scenario)!;
      for (const { name, failure, runtime: own } of cells) {
        assert.equal(failure, undefined, name);
        assert.ok(
          known!.some((one) => one.name === own && one.referenceNs! > 0),
          name,
        );
      }
      return known!.map((one) => one.name);
    };
    assert.deepEqual(racedOn("uniform-8@cas-ring"), names);
    for (const name of names) assert.deepEqual(racedOn(`uniform-8@${name}`), [name]);
    assert.equal(records.length, 1 + names.length);
    assert.deepEqual(
      surveys.map(({ scenario }) => scenario),
      names.map((name) => `bytes@${name}`),
    );
    const { rows } = judgeScenario(records.slice(0, 1));
    assert.ok(rows.some(({ competitor }) => competitor === "cas-ring@again"));
  });
});
