import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { competitorsOf, type Entry } from "../../structures/catalog.ts";
import { type Allocator, allocateWith, STRIDE_BYTES } from "../../structures/shared/layout.ts";
import { workerIdentity } from "../../structures/shared/worker-identity.ts";
import { importCompetitor } from "../engine/measure/load/load.ts";
import type { Placement, Race, Setup, WorkDone } from "../engine/race.ts";
import type { LoadedSuite } from "../lab/plan/asked.ts";
import { loadSuites } from "../lab/suites.ts";

type AnyRace = Race<unknown, unknown, unknown>;

const SEED = 42;
const TURNS = 3;
const OPERATIONS = 100;

describe("crews that use the same memory in turn", async () => {
  afterEach(() => allocateWith(undefined));

  for (const { suite } of await loadSuites()) {
    for (const race of suite.scenarios.filter(isRace)) {
      it(`${suite.primitive}/${race.scenario}: each finds its own again, every law holding`, async () => {
        for (const { name, url } of competitorsOf(suite.primitive)) {
          const competitor = await importCompetitor(url);
          if (placementOf(race, competitor) === "arena") takeTurns(race, competitor, name);
        }
      });
    }
  }
});

describe("placement", () => {
  it("reports what the arena cannot hold", async () => {
    const suites = await loadSuites();
    const placements = async (cell: string) => {
      const [primitive, scenario, name] = cell.split("/");
      const race = raceOf(suites, primitive!, scenario!);
      const { url } = competitorsOf(primitive!).find((entry: Entry) => entry.name === name)!;
      return placementOf(race, await importCompetitor(url));
    };
    for (const [cell, placement] of [
      ["pick/uniform-8/cas-ring", "arena"],
      ["pick/uniform-8/background-reshuffle", "own"],
      ["timers/refresh-100k/hashed-wheel", "arena"],
      ["timers/refresh-100k/node-set-timeout", "objects"],
      ["timers/crew-own/inbox-wheels", "arena"],
      ["ownership/lookup-100k/seqlock-slots", "arena"],
      ["ownership/lookup-100k/sorted-arrays", "objects"],
      ["ownership/flow/sorted-arrays", "objects"],
    ] as const) {
      assert.equal(await placements(cell), placement, cell);
    }
  });

  it("matters where sets are large", async () => {
    const suites = await loadSuites();
    for (const [cell, isLarge] of [
      ["pick/uniform-1000", false],
      ["timers/refresh-1k", false],
      ["timers/refresh-10k", true],
      ["ownership/lookup-1-range", true],
      ["ownership/lookup-100k", true],
      ["ownership/one-writer", true],
      ["dispatch/churn-10k", false],
      ["dispatch/beat-100k", true],
    ] as const) {
      const [primitive, scenario] = cell.split("/");
      const race = raceOf(suites, primitive!, scenario!);
      assert.equal(race.isLarge?.(race.params.full) ?? false, isLarge, cell);
      assert.equal(race.isLarge?.(race.params.smoke) ?? false, false, `${cell} at smoke size`);
    }
  });
});

function isRace(scenario: { readonly kind: string }): scenario is AnyRace {
  return scenario.kind === "race";
}

function raceOf(suites: readonly LoadedSuite[], primitive: string, scenario: string): AnyRace {
  const { suite } = suites.find((loaded) => loaded.suite.primitive === primitive)!;
  return suite.scenarios.filter(isRace).find((race) => race.scenario === scenario)!;
}

/** Undefined for a competitor that takes no part. */
function placementOf(race: AnyRace, competitor: unknown): Placement | undefined {
  const { smoke } = race.params;
  if (race.absent?.(competitor, smoke) !== undefined) return undefined;
  return race.placement?.(competitor, smoke) ?? "arena";
}

/** Two crews in one arena; while one has it, it contains nothing of the other. */
function takeTurns(race: AnyRace, competitor: unknown, name: string): void {
  const arena = new Arena();
  const crews = [0, 1].map(() => {
    arena.clear();
    const crew = new PlayedCrew(race, competitor);
    return { crew, saved: arena.save() };
  });
  assert.equal(crews[0]!.saved.asked.join(), crews[1]!.saved.asked.join(), `${name} asks for the same`);
  for (let turn = 0; turn < TURNS; turn++) {
    for (const taking of crews) {
      arena.load(taking.saved);
      assert.equal(taking.crew.runs(), undefined, `${name}, turn ${turn}`);
      taking.saved = arena.save();
    }
  }
}

/** A crew all of whose workers are played by this thread, one after another. */
class PlayedCrew {
  readonly #race: AnyRace;
  readonly #competitor: unknown;
  readonly #setup: Setup<unknown>;
  readonly #shared: unknown;
  readonly #members;

  constructor(race: AnyRace, competitor: unknown) {
    const workers = race.mostWorkers === 1 ? 1 : 2;
    this.#race = race;
    this.#competitor = competitor;
    this.#setup = { params: race.params.smoke, workers, seed: SEED, fork: 0 };
    this.#shared = race.prepare(competitor, this.#setup);
    this.#members = Array.from({ length: workers }, (_, index) => {
      const identity = {
        ...workerIdentity(index, workers, SEED),
        role: race.role?.(index, workers) ?? "worker",
      };
      const runner = race.attach(competitor, this.#setup, this.#shared, identity);
      return { identity, runner, operations: 0, checksum: 0 };
    });
  }

  /** Some operations of each worker; the law that broke, or undefined. */
  runs(): string | undefined {
    for (const playing of this.#members) {
      const operations = Math.min(OPERATIONS, playing.runner.mostOperations ?? OPERATIONS);
      playing.runner.prepare?.(operations);
      playing.checksum = (playing.checksum + playing.runner.run(operations)) | 0;
      playing.operations += operations;
    }
    const work = this.#members.map(
      ({ identity, runner, operations, checksum }): WorkDone => ({
        role: identity.role,
        operations,
        checksum,
        counters: runner.counters?.() ?? {},
      }),
    );
    return this.#race.law(this.#competitor, this.#setup, this.#shared, work);
  }
}

interface Saved {
  /** Bytes, or negative pages, in the order in which they were asked for. */
  readonly asked: readonly number[];
  readonly bytes: Uint8Array;
  readonly pages: readonly Uint8Array[];
}

/** All that crews allocate, at the same addresses for each. */
class Arena implements Allocator {
  readonly #buffer = new SharedArrayBuffer(2 ** 26);
  readonly #memories: WebAssembly.Memory[] = [];
  #asked: number[] = [];
  #used = 0;
  #linears = 0;

  /** For a crew that is about to be made. */
  clear(): void {
    this.#fill(0);
    this.#asked = [];
    this.#used = 0;
    this.#linears = 0;
    allocateWith(this);
  }

  save(): Saved {
    allocateWith(undefined);
    const saved = {
      asked: this.#asked,
      bytes: new Uint8Array(this.#buffer).slice(0, this.#used),
      pages: this.#memories.map(({ buffer }) => new Uint8Array(buffer).slice()),
    };
    this.#fill(LEFTOVER);
    return saved;
  }

  load({ bytes, pages }: Saved): void {
    new Uint8Array(this.#buffer).set(bytes);
    for (const [index, { buffer }] of this.#memories.entries()) new Uint8Array(buffer).set(pages[index]!);
  }

  #fill(byte: number): void {
    new Uint8Array(this.#buffer).fill(byte, 0, this.#used);
    for (const { buffer } of this.#memories) new Uint8Array(buffer).fill(byte);
  }

  bytes(length: number) {
    const byteOffset = this.#used;
    this.#asked.push(length);
    this.#used += Math.ceil(length / STRIDE_BYTES) * STRIDE_BYTES;
    return { buffer: this.#buffer, byteOffset };
  }

  linear(pages: number): WebAssembly.Memory {
    this.#asked.push(-pages);
    const index = this.#linears++;
    this.#memories[index] ??= new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
    return this.#memories[index];
  }
}

const LEFTOVER = 0x5a;
