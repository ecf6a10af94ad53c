import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { type SyntheticGroup, syntheticForks } from "../engine/judge/judge.synthetic.ts";
import { LOOKS } from "../engine/judge/verdict.ts";
import type { CrewPlan, GroupPlan } from "../engine/measure/plan/plan.ts";
import type { CrewResult } from "../engine/measure/plan/protocol.ts";
import type { ForkResult } from "../engine/measure/run/watched.ts";
import type { GroupRecord } from "../engine/schema/record.ts";
import { recordPage } from "./pages/pages.ts";
import { LabRacing } from "./racing.ts";
import { cannotRecompute, recompute } from "./recompute.synthetic.ts";
import { syntheticRecord } from "./schema/record.synthetic.ts";
import { recordText } from "./schema/record-file.ts";
import { RawSlices } from "./store/raw.ts";
import { judgedRecord } from "./verdicts/judge-record.ts";

const folder = mkdtempSync(join(tmpdir(), "hotpath-racing-"));
after(() => rmSync(folder, { recursive: true }));

const TRUTH: SyntheticGroup = {
  costsNs: { baseline: 20, half: 10, close: 20.2 },
  workers: 1,
  forks: 8,
  rounds: 100,
  sliceNoise: 0.003,
  forkNoise: 0.02,
  roundNoise: 0.1,
  busyFactors: {},
  seed: 5,
};

/** The plan of that group, as far as it matters here. */
const PLAN = {
  primitive: "synthetic",
  scenario: "test",
  workers: 1,
  oversubscribed: false,
  sliceUs: 250,
  rounds: 100,
  rows: 2,
  precision: 1,
  placement: "arena",
  absent: [],
  crews: syntheticForks(TRUTH)[0]!.map(({ name }): CrewPlan => {
    const isEngines = ["control", "empty"].includes(name);
    const kind = isEngines
      ? (name as CrewPlan["kind"])
      : name === "baseline"
        ? "baseline"
        : name.includes("~")
          ? "aa-control"
          : "rival";
    return { name, kind, url: isEngines ? undefined : "", workers: 1, placement: "arena" };
  }),
  race: { title: "", operation: "op" },
} as unknown as GroupPlan;

function forkResults(
  truth: SyntheticGroup,
  changed = (crews: CrewResult[], _fork: number) => crews,
): ForkResult[] {
  return syntheticForks(truth).map((crews, fork) => ({
    fork,
    crews: changed(crews, fork),
    threads: 0,
    maxRssBytes: 0,
    pinned: true,
  }));
}

/** Hears fork after fork; what was needed after each. */
function heard(racing: LabRacing, forks: readonly ForkResult[], plan = PLAN): string[][] {
  return forks.map((_, index) => [...racing.needed(plan, forks.slice(0, index + 1))]);
}

/** The records of groups that were raced one after the other, each by what its machine sends. */
function racedIn(machines: readonly ((crews: CrewResult[], fork: number) => CrewResult[])[]): GroupRecord[] {
  const groups: GroupRecord[] = [];
  const racing = new LabRacing(groups, undefined, false);
  for (const machine of machines) {
    const forks = forkResults(TRUTH, machine);
    heard(racing, forks);
    racing.finish({ plan: PLAN, forks });
  }
  return groups;
}

const allQuiet = (crews: CrewResult[]) => crews;
const busyAtFirst = (crews: CrewResult[], fork: number) => (fork < 2 ? allBusy(crews) : crews);

function withTags(crew: CrewResult, changed: (tagNs: number) => number): CrewResult {
  return {
    ...crew,
    workers: crew.workers.map((worker) => ({ ...worker, tagNs: worker.tagNs.map(changed) })),
  };
}

/** As if the machine had been busy all the time. */
function allBusy(crews: readonly CrewResult[]): CrewResult[] {
  return crews.map((crew) => withTags(crew, () => 21.7));
}

/** As if full speed had never been met. */
function halfAsFast(crews: readonly CrewResult[]): CrewResult[] {
  return crews.map((crew) => withTags(crew, (tagNs) => 2 * tagNs));
}

function quietForks({ cells }: GroupRecord): readonly number[] {
  return cells[0]!.roles.worker!.quiet?.costNs.forks ?? [];
}

describe("racing", () => {
  it("needs every crew between looks, and at a look the undecided ones", () => {
    const needed = heard(new LabRacing([], undefined, false), forkResults(TRUTH));
    const all = PLAN.crews.map(({ name }) => name);
    for (const [index, names] of needed.entries()) {
      if (LOOKS.includes(index + 1)) assert.deepEqual(names, ["close"], `after ${index + 1} forks`);
      else assert.deepEqual(names, all, `after ${index + 1} forks`);
    }
  });

  it("needs every crew in the fewest forks of a group, also past a look that decided it", () => {
    const [first, second, third] = LOOKS as [number, number, number];
    const plan = { ...PLAN, fewestForks: third };
    const needed = heard(new LabRacing([], undefined, false), forkResults(TRUTH), plan);
    assert.equal(needed[first - 1]!.length, PLAN.crews.length);
    assert.equal(needed[second - 1]!.length, PLAN.crews.length);
    assert.deepEqual(needed[third - 1], ["close"]);
  });

  it("sends all rows on where the number of forks is fixed, and its intervals allow one look", () => {
    const groups: GroupRecord[] = [];
    const racing = new LabRacing(groups, undefined, true);
    const forks = forkResults(TRUTH);
    const needed = heard(racing, forks);
    assert.ok(needed.every(({ length }) => length === PLAN.crews.length));
    racing.finish({ plan: PLAN, forks });
    assert.equal(groups[0]!.looks, 1);
  });

  it("does not count a lost fork among those of a look", () => {
    const racing = new LabRacing([], undefined, false);
    const [first, second, ...others] = forkResults(TRUTH);
    const lost: ForkResult = { ...second!, failure: { kind: "fault", reason: "it died" }, crews: [] };
    const needed = heard(racing, [first!, lost, ...others]);
    const [firstLook] = LOOKS as [number];
    assert.equal(needed[firstLook - 1]!.length, PLAN.crews.length);
    assert.deepEqual(needed[firstLook], ["close"]);
  });

  it("makes digests anew when a later fork shows that what was taken for full speed was not", () => {
    const [group] = racedIn([busyAtFirst]);
    assert.deepEqual(quietForks(group!), [2, 3, 4, 5, 6, 7]);
    assert.equal(group!.referenceNs, 10.8);
  });

  it("takes the quiet state away from groups that never met it, as a later group shows", () => {
    assert.equal(quietForks(racedIn([allBusy])[0]!).length, 8);
    assert.deepEqual(
      racedIn([allBusy, allQuiet]).map((group) => quietForks(group).length),
      [0, 8],
    );
  });

  it("takes what passed for near cores for far ones, as a later group shows", () => {
    const apartBy = (ns: number) => (crews: CrewResult[]) =>
      crews.map((crew) => ({ ...crew, handoverNs: crew.rounds.map(() => ns) }));
    const [far, near] = racedIn([190, 50].map(apartBy)) as [GroupRecord, GroupRecord];
    assert.deepEqual(far.handovers, { nearNs: 50, farNs: 190 });
    assert.deepEqual([quietForks(far).length, far.cells[0]!.roles.worker!.far!.costNs.forks.length], [0, 8]);
    assert.deepEqual(near.handovers, { nearNs: 50 });
    assert.equal(quietForks(near).length, 8);
  });

  it("knows full speed by runtime, as named in the record", () => {
    const runtimes = [
      { name: "node24", version: "Node.js 24.21.0", engine: "V8 13.6" },
      { name: "bun", version: "Bun 1.4.5", engine: "JavaScriptCore d6375c72affe" },
    ];
    const start = { file: "", args: [] };
    const crews = PLAN.crews.map((crew): CrewPlan => {
      const runtime = crew.name === "half" ? "bun" : "node24";
      return { ...crew, remote: { name: runtime, runtime, start, module: "" } };
    });
    const plan = { ...PLAN, crews, runtimes };
    const forks = forkResults(TRUTH, (sent) =>
      sent.map((crew) => (crew.name === "half" ? withTags(crew, (tagNs) => tagNs / 4) : crew)),
    );
    const groups: GroupRecord[] = [];
    const racing = new LabRacing(groups, undefined, true);
    heard(racing, forks, plan);
    const group = racing.finish({ plan, forks });
    assert.equal(group.referenceNs, 10.8);
    assert.deepEqual(
      group.runtimes?.map(({ name, referenceNs }) => [name, referenceNs]),
      [
        ["node24", 10.8],
        ["bun", 2.7],
      ],
    );
    const quiet = (name: string) =>
      group.cells.find(({ competitor }) => competitor === name)!.roles.worker!.quiet!.costNs.counts;
    assert.deepEqual(quiet("half"), quiet("close"));
    assert.equal(group.cells.find(({ competitor }) => competitor === "half")!.runtime, "bun");
    // A resumed run knows them again, and takes what is slower for busy.
    const again = new LabRacing(groups, undefined, true);
    const slower = forkResults(TRUTH, halfAsFast);
    heard(again, slower, plan);
    assert.equal(again.finish({ plan, forks: slower }).referenceNs, 10.8);
  });

  it("writes what each fork sent", () => {
    const path = join(folder, "run.slices.ndjson.gz");
    const racing = new LabRacing([], new RawSlices(path, undefined, assert.fail), false);
    const forks = forkResults({ ...TRUTH, forks: 2, rounds: 2 });
    heard(racing, forks);
    const lines = gunzipSync(readFileSync(path)).toString().trimEnd().split("\n");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      forks.map(({ fork, crews }) => ({ primitive: "synthetic", scenario: "test", workers: 1, fork, crews })),
    );
  });
});

describe("figures of slices are the ones that a script in another language computes", {
  skip: cannotRecompute,
}, () => {
  // With a seed that puts no value at the edge of what weighs: records round to five digits.
  const truth: SyntheticGroup = { ...TRUTH, busyFactors: { baseline: 2, half: 1.5, close: 2.5 }, seed: 7 };

  for (const [where, machines] of [
    ["where the machine was at full speed from the first process on", [allQuiet]],
    ["where only a later process shows what full speed is", [busyAtFirst]],
    ["where only a later group shows it", [halfAsFast, allQuiet]],
  ] as const) {
    it(where, () => {
      const path = join(folder, "recomputed.slices.ndjson.gz");
      const groups: GroupRecord[] = [];
      const racing = new LabRacing(groups, new RawSlices(path, undefined, assert.fail), false);
      for (const [index, machine] of machines.entries()) {
        const plan = { ...PLAN, scenario: `test-${index}` };
        const forks = forkResults(truth, machine);
        heard(racing, forks, plan);
        racing.finish({ plan, forks });
      }
      const record = syntheticRecord(groups, 1);
      const [recordPath, pagePath] = [join(folder, "record.json"), join(folder, "page.md")];
      writeFileSync(recordPath, recordText(record));
      writeFileSync(pagePath, recordPage("Results", judgedRecord(record), "record.json"));
      const { stdout, stderr } = recompute(recordPath, path, pagePath);
      // Medians of the baseline, its control and two rivals, and of these the ratio with both ends of its interval.
      const figures = (4 + 2 * 3) * machines.length;
      assert.equal(stdout, `${figures} figures recomputed, 0 otherwise than printed\n`, stderr);
    });
  }
});
