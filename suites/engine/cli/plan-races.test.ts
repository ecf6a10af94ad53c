import { it } from "node:test";
import { addressAt } from "../capture/address.ts";
import type { Probe, ProbedWork } from "../capture/probe.ts";
import { goldenCases } from "../golden.trials.ts";
import { type ProbedTask, planRaces, type RacesAsked } from "./plan-races.ts";

const addressOf = (name: string) =>
  ({ file: "file:///bench.js", ending: "pause", key: { groups: ["parse"], name, ordinal: 0 } }) as const;

function task(label: string, work: Partial<ProbedWork> = {}, more: Partial<ProbedTask> = {}): ProbedTask {
  const probe: Probe = {
    importMs: 100,
    work: { nsPerOperation: 1000, isAsync: false, hooks: [], timesItself: false, ...work },
  };
  return { label, address: addressOf(label), isBaseline: false, probe, ...more };
}

const a = (work: Partial<ProbedWork>, more: Partial<ProbedTask> = {}) => task("a", work, more);
const b = task("b");
const ofTimes = (...timesNs: number[]) =>
  timesNs.map((nsPerOperation, place) => task(`${place}`, { nsPerOperation }));
const awaited = { isAsync: true };

/** Tasks, and what is asked besides. */
const CASES: Readonly<Record<string, readonly [tasks: readonly ProbedTask[], asked?: Partial<RacesAsked>]>> =
  {
    "two that can be compared": [ofTimes(1000, 90_000)],
    "refused by its list": [
      [{ label: "a", address: addressOf("a"), isBaseline: false, refused: "is a string" }, b],
    ],
    throws: [[a({}, { probe: { failure: "it threw: no" } }), b]],
    "times itself": [[a({ timesItself: true }), b]],
    "works on threads": [[a({ helpers: "threads" }), b]],
    "works on a pool": [[a({ helpers: "the thread pool", ...awaited }), b]],
    waits: [[a({ ...awaited, waitingShare: 0.97 }), b]],
    "waits just short enough": [[a({ ...awaited, waitingShare: 0.5 })]],
    "waits in other ways than by promises": [[a({ waitingShare: 0.9 })]],
    "too short for its hook before": [[a({ nsPerOperation: 400, hooks: ["beforeEach"] }), b]],
    "too short for its hook behind": [[a({ nsPerOperation: 1999, hooks: ["afterEach"] }), b]],
    "just long enough for its hook": [[a({ nsPerOperation: 2000, hooks: ["beforeEach"] })]],
    "too long": [[a({ nsPerOperation: 3e9 }), b]],
    "nothing is left": [[a({ timesItself: true })]],
    "promises on two workers": [[a(awaited), b], { workers: 2 }],
    "async and not": [[a({}), task("b", awaited), task("c"), task("d", awaited)]],
    "async alone": [[a(awaited)]],
    "compiled alike": [[a({}), task("b", awaited)], { isCompiledAlike: true }],
    "async and far apart, in no group": [
      [1e3, 1e3, 1e6].map((nsPerOperation, place) =>
        task(`${place}`, { nsPerOperation, isAsync: place > 0 }),
      ),
      { title: "" },
    ],
    "the baseline that is asked for": [[a({}), task("b", {}, { isBaseline: true })], { baseline: "a" }],
    "the file's baseline": [[a({}), task("b", {}, { isBaseline: true })]],
    "a baseline of another group": [[a({}), task("b", {}, { isBaseline: true })], { baseline: "x" }],
    "a thousand times apart": [
      [...ofTimes(1e6, 1000, 100_000), task("mean", { nsPerOperation: 100_001 }, { isBaseline: true })],
    ],
    "near the floor of the loop": [ofTimes(1000, 29)],
    "far enough above it": [ofTimes(1000, 31)],
    "near the floor of awaiting": [[a({ ...awaited, nsPerOperation: 999 })]],
    "slices as short as may be": [ofTimes(9_999)],
    "slices for twenty operations": [ofTimes(10_000)],
    "slices for two collections": [[a({ collectionEveryMs: 3 })]],
    "slices for less than two": [[a({ collectionEveryMs: 12 })]],
    "slices for operations and collections": [[a({ nsPerOperation: 1e6, collectionEveryMs: 3 })]],
    "slices as long as may be": [ofTimes(100e6)],
    "hardly slow": [ofTimes(19.9e6)],
    slow: [ofTimes(20e6)],
    "imported by two workers": [[a({}), b], { workers: 2 }],
  };

it("races of a group's tasks are as testdata/plans.md has them", (test) => {
  const planned = Object.entries(CASES).map(([name, [tasks, asked]]) => {
    const { races, ...said } = planRaces(tasks, { title: "parse", workers: 1, ...asked });
    const lines = races.map(({ contestants, ...race }) => {
      const named = contestants.map(({ label, url, ...more }) => ({ label, ...more, ...parsed(url) }));
      return `${JSON.stringify(race)}\n${named.map((one) => `    ${JSON.stringify(one)}\n`).join("")}`;
    });
    return [name, `${lines.join("")}${JSON.stringify(said)}\n`];
  });
  goldenCases(test, "testdata/plans.md", Object.fromEntries(planned));
});

/** What an address says beside its label. */
function parsed(url: string) {
  const address = addressAt(url);
  return address === undefined ? { url } : { isAsync: address.isAsync };
}
