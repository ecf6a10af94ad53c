import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Profile } from "../../engine/measure/plan/plan.ts";
import type { ForkResult } from "../../engine/measure/run/watched.ts";
import { candidateFile, carryOut, withCandidates } from "../carried-out.synthetic.ts";
import { makePlan } from "../plan/make-plan.ts";
import { SMOKE, smokeRequest } from "../request.synthetic.ts";

/** Long enough for what begins after 200,000 operations, and then for several accounts. */
const LONG: Profile = { ...SMOKE, exactly: { ...SMOKE.exactly, rounds: 20, warmUpSlices: 30 } };

const REPLACED = (name: string) =>
  new RegExp(`it replaced ${name}, which all are measured with: leave builtins`);

/** What is said of each: in cheats/. */
const CHEATS: Readonly<Record<string, RegExp>> = {
  "acts-between-looks": REPLACED("Array\\.prototype\\.push"),
  "answers-for-its-fork": REPLACED("process\\.send"),
  "blinds-the-check": REPLACED("process\\.hrtime\\.bigint"),
  "changes-flags": /^it changed V8's flags while it raced, which all threads of a process share$/,
  "changes-its-law": /^meanIsUniform: the sum of \d+ picks is -\d+\.\d standard errors off$/,
  "doctors-the-work": REPLACED("Array\\.prototype\\.map"),
  "forges-account": REPLACED("MessagePort\\.prototype\\.postMessage"),
  "hides-its-thread": /^it started a thread while it raced: only declared ones may work beside workers$/,
  "rewrites-results": /Cannot assign to read only property 'result' of object '#<Crew>'$/,
  "takes-the-gate": REPLACED("Atomics\\.load"),
};

/** Races the cheat beside a rival, in one process. */
async function raced(name: string): Promise<ForkResult> {
  const request = await smokeRequest({ profile: LONG, workers: [1] });
  const { groups } = await carryOut(makePlan(withCandidates(request, [candidateFile(name, "cheats")])));
  return groups[0]!.forks[0]!;
}

describe("a cheat has no number, and a sentence says what was found", () => {
  for (const [name, reason] of Object.entries(CHEATS)) {
    const skip = name === "hides-its-thread" && process.platform !== "linux" && "only Linux counts threads";
    it(name, { skip }, async () => {
      const { failure, crews } = await raced(name);
      const cheat = crews.find((crew) => crew.name === name);
      assert.match(failure?.reason ?? cheat?.failure?.reason ?? "it has a number", reason);
      for (const crew of crews) assert.equal(crew.failure !== undefined, crew === cheat, crew.name);
    });
  }
});
