import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { loadCompetitors } from "../../../../structures/catalog.ts";
import {
  changedIn,
  highOf,
  LONG,
  longOf,
  lowOf,
  type Perform,
  WORD,
  WRITES_ONLY,
} from "../../../../structures/interleave/memory/access.ts";
import { replaceAtomics, standInBuffer } from "../../../../structures/interleave/memory/stand-in.ts";
import type { Traits } from "../../../../structures/shared/traits.ts";
import { workerIdentity } from "../../../../structures/shared/worker-identity.ts";
import type { Race, WorkDone } from "../../../engine/race.ts";
import shortSection from "../../../locks/scenarios/short-section.ts";
import oneWriter from "../../../ownership/scenarios/one-writer.ts";
import uniform8 from "../../../pick/scenarios/uniform-8.ts";
import reconnect600 from "../../../slots/scenarios/reconnect-600.ts";
import crewForeign from "../../../timers/scenarios/crew-foreign.ts";
import { observedCompetitor } from "./observed.ts";

type AnyRace = Race<unknown, unknown, unknown>;

const RACES: Readonly<Record<string, AnyRace>> = {
  locks: shortSection as AnyRace,
  ownership: oneWriter[1]!,
  pick: uniform8 as AnyRace,
  slots: reconnect600 as AnyRace,
  timers: crewForeign as AnyRace,
};

const WORKERS = 2;
const SEED = 3;
const OPERATIONS = 200;

let accesses = 0;
let undo: () => void;
before(() => {
  undo = replaceAtomics();
});
after(() => undo());

/** What a crew shares, with stand-ins in the place of regions; an access to them is made at once. */
function standingFor(shared: unknown): unknown {
  const standing = Object.entries(shared as object).map(([name, region]: [string, unknown]) => {
    if (!(region instanceof Int32Array)) return [name, region];
    const perform: Perform = (kind, word, operand = 0, other = 0, lane = WORD) => {
      accesses++;
      assert.ok(lane === WORD || lane === LONG);
      const old = lane === WORD ? region[word]! : longOf(region[word]!, region[word + 1]!);
      const value = changedIn(lane, old, kind, operand, other);
      region.set(typeof value === "number" ? [value] : [lowOf(value), highOf(value)], word);
      return WRITES_ONLY.has(kind) ? operand : old;
    };
    return [name, new Int32Array(standInBuffer(region.byteLength, 0, perform))];
  });
  return Object.fromEntries(standing);
}

/** What two workers did that this thread played in turn, one operation each. The law was kept. */
function played(race: AnyRace, competitor: unknown, standing = (shared: unknown) => shared) {
  const setup = { params: race.params.smoke, workers: WORKERS, seed: SEED, fork: 0 };
  const shared = race.prepare(competitor, setup);
  const standsIn = standing(shared);
  const crew = Array.from({ length: WORKERS }, (_, index) => {
    const role = race.role?.(index, WORKERS) ?? "worker";
    const worker = { ...workerIdentity(index, WORKERS, SEED), role };
    return { role, runner: race.attach(competitor, setup, standsIn, worker), checksum: 0 };
  });
  for (let operation = 0; operation < OPERATIONS; operation++)
    for (const member of crew) member.checksum = (member.checksum + member.runner.run(1)) | 0;
  const work = crew.map(
    ({ role, runner, checksum }): WorkDone => ({
      role,
      operations: OPERATIONS,
      checksum,
      counters: runner.counters?.() ?? {},
    }),
  );
  assert.equal(race.law(competitor, setup, shared, work), undefined);
  return work.map(({ checksum }) => checksum);
}

/** Which no run repeats. */
const UNSEEDED = "per-worker-math-random";

for (const [primitive, race] of Object.entries(RACES)) {
  it(`${primitive}: every competitor does the same to stand-ins as to words`, async () => {
    for (const { name, competitor, skip } of await loadCompetitors<Traits>(primitive)) {
      const { smoke } = race.params;
      const takesPart = skip === false && race.absent?.(competitor, smoke) === undefined;
      // A thread of its own would use the words themselves.
      if (!takesPart || name === UNSEEDED || race.threads?.(competitor, smoke) === 1) continue;
      const isCode = competitor.needsLinear === true;
      accesses = 0;
      const form = isCode ? await observedCompetitor(primitive, name) : competitor;
      const seen = played(race, form, standingFor);
      if (isCode) assert.ok(accesses >= WORKERS * OPERATIONS, `${name}: ${accesses} accesses`);
      assert.deepEqual(seen, played(race, competitor), name);
    }
  });
}

it("a competitor without such a form is refused by name", async () => {
  await assert.rejects(observedCompetitor("dispatch", "wasm-ring-of-slots"), {
    message: /^dispatch\/wasm-ring-of-slots has no form whose accesses in WebAssembly are observed/,
  });
});
