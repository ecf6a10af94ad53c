import assert from "node:assert/strict";
import { it } from "node:test";
import { type Newest, newestOf } from "../pages/newest.ts";
import { raceOf } from "../pictures/races.synthetic.ts";
import { syntheticRecord } from "../schema/record.synthetic.ts";
import type { BenchRecord } from "../schema/record.ts";
import { judgeRecord } from "../verdicts/judge-record.ts";
import { publishedHosts } from "./hosts.ts";

type WholeRun = Parameters<typeof publishedHosts>[1][number];

const METHOD = 3;

function recordOf(slug: string, cpu: string, methodVersion = METHOD): BenchRecord {
  const record = syntheticRecord([raceOf({ base: 20, other: 10 }, 1)], 1);
  return { ...record, methodVersion, machine: { ...record.machine, slug, cpu } };
}

function published(record: BenchRecord): ReadonlyMap<string, Newest> {
  return new Map([["synthetic", newestOf([{ file: "record.json.gz", record }], ["test"])!]]);
}

function repeated(record: BenchRecord): WholeRun {
  return { record, races: judgeRecord(record).races };
}

/** Each host's name, and how many races each of its runs has. */
function racesOf(...[byMachine, repeats]: Parameters<typeof publishedHosts>): [string, number[]][] {
  return publishedHosts(byMachine, repeats).map(({ name, runs }) => [
    name,
    runs.map((races) => races.length),
  ]);
}

it("a host has what it published and its repeats, as far as these are of the same method", () => {
  const home = published(recordOf("amd-2c", "AMD EPYC"));
  const intel = recordOf("intel-2c", "Intel(R) Xeon(R) Processor @ 2 GHz");
  const older = recordOf("intel-2c", "Intel(R) Xeon(R) Processor @ 2 GHz", METHOD - 1);
  assert.deepEqual(racesOf([], []), []);
  assert.deepEqual(racesOf([home], [recordOf("amd-2c", "AMD EPYC"), intel, older].map(repeated)), [
    ["AMD EPYC", [1, 1]],
    ["Intel Xeon @ 2 GHz", [1, 0]],
  ]);
  assert.deepEqual(racesOf([home, published(recordOf("amd-64c", "AMD EPYC"))], []), [
    ["amd-2c", [1]],
    ["amd-64c", [1]],
  ]);
});
