import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { itJudgesAsWritten } from "../interleave/calls.trials.ts";
import { foldAt } from "../pick/parts/rotation.ts";
import { testLaws } from "../shared/law-tests.ts";
import { allocateFor } from "../shared/layout.ts";
import { Random } from "../shared/sfc32.ts";
import lockedLeastLoaded from "./competitors/locked-least-loaded.ts";
import sharedTicket from "./competitors/shared-ticket.ts";
import ticketPrivateFreeList from "./competitors/ticket-private-free-list.ts";
import ticketSharedHoles from "./competitors/ticket-shared-holes.ts";
import { LoadBuckets } from "./parts/buckets.ts";
import { Clients } from "./parts/clients.ts";
import {
  contract,
  MOST_DRAWN,
  MOST_SLOTS,
  type SlotAllocator,
  type SlotsCompetitor,
  staggeredStart,
} from "./slots.contract.ts";
import { examination, examinationThreads } from "./slots.examination.ts";
import { makeSlots } from "./slots.instance.ts";
import * as laws from "./slots.laws.ts";
import { mutants } from "./slots.mutants.ts";

/**
 * Kept, because code that has run for a while races more often than code that starts. Mutants have their own: what V8 has learnt
 * of all competitors makes code slower, and races rarer.
 */
const [threads, mutantsThreads] = [examinationThreads(), examinationThreads()];
after(() => Promise.all([threads.destroy(), mutantsThreads.destroy()]));

/** In ms. Mutants may be stuck, and one that is only slow is called stuck and examined again. */
const MUTANT_STUCK_MS = 2_000;

const competitors = await testLaws<SlotsCompetitor>({
  primitive: "slots",
  examination: { ...examination, examine: (url) => examination.examine(url, undefined, threads) },
  mutants,
  laws: { ...laws, seedDecides: true, badInputIsRefused: true },
  // Figures and no laws.
  without: ["loadsOf", "spreadOf", "dispersionOf", "turnsMayResonate"],
  examineMutant: (url) => examination.examine(url, MUTANT_STUCK_MS, mutantsThreads),
  tries: 40,
});

it("slots in turn are dealt worse than by chance to workers at a pace of two to one, which no law may hold against them", async () => {
  const { default: sharedTicket } = await import("./competitors/shared-ticket.ts");
  assert.ok(laws.turnsMayResonate(sharedTicket, 2));
  assert.ok(!laws.turnsMayResonate(sharedTicket, 1));
  const slots = 60;
  const random = new Random(5);
  const crew = crewOf(sharedTicket, slots, 2, 5);
  const clients = crew.map((worker) => Array.from({ length: 600 }, () => worker.take()));
  for (let turn = 0; turn < 30_000; turn++) {
    const worker = turn % 3 === 2 ? 1 : 0;
    const leaving = random.below(600);
    crew[worker]!.give(clients[worker]![leaving]!);
    clients[worker]![leaving] = crew[worker]!.take();
  }
  const loads = new Array<number>(slots).fill(0);
  for (const slot of clients.flat()) loads[slot]!++;
  assert.match(laws.noWorseThanChance(loads) ?? "", /chi-square/);
});

it("slots: an instance has a seed of its own by default", () => {
  const seeds = [{}, {}, { seed: undefined }].map(
    (given) => makeSlots(sharedTicket, { slots: 600, workers: 1, ...given }).seed,
  );
  assert.equal(new Set(seeds).size, seeds.length);
  assert.ok(seeds.every((seed) => seed >>> 0 === seed));
});

/** Allocators of one crew, for one thread to play. */
function crewOf(competitor: SlotsCompetitor, slots: number, workers: number, seed: number): SlotAllocator[] {
  return formatted(competitor, slots, workers, seed).crew;
}

function formatted(competitor: SlotsCompetitor, slots: number, workers: number, seed: number) {
  const { memory, linear } = allocateFor(competitor, competitor.words(slots, workers));
  competitor.format(memory, slots, workers, seed);
  const crew = Array.from({ length: workers }, (_, index) =>
    competitor.attach(memory, slots, { index, workers, role: "worker", seed: (seed ^ index) >>> 0 }, linear),
  );
  return { memory, crew };
}

/** How many clients each slot has, fewest first: once one worker has filled, and once it has replaced as many. */
function fullnessOf(competitor: SlotsCompetitor, slots: number): Record<"filled" | "churned", number[]> {
  const [allocator] = crewOf(competitor, slots, 1, 7);
  const clients = new Clients(allocator!, new Int32Array(slots), 1_000, 7);
  const fullness = () => [...clients.loads].sort((one, other) => one - other);
  for (let count = 0; count < 1_000; count++) clients.arrive();
  const filled = fullness();
  for (let count = 0; count < 1_000; count++) clients.replace();
  return { filled, churned: fullness() };
}

describe("slots: alone", () => {
  const oracle = competitors.find(({ name }) => name === contract.oracle)!.competitor;

  for (const { name, competitor, skip } of competitors) {
    it(`${name}: as full as the oracle's, slot for slot, where it promises as much`, { skip }, () => {
      for (const slots of [1, 7, 60]) {
        const expected = fullnessOf(oracle, slots);
        const seen = fullnessOf(competitor, slots);
        if (competitor.spreadWhenFilling(1) === 1) assert.deepEqual(seen.filled, expected.filled);
        if (competitor.spreadUnderChurn(1) === 1) assert.deepEqual(seen.churned, expected.churned);
      }
    });
  }
});

describe("slots: tickets", () => {
  for (const [name, competitor] of Object.entries({
    sharedTicket,
    ticketPrivateFreeList,
    ticketSharedHoles,
  })) {
    it(`${name} goes on where the counter is folded back`, () => {
      for (const slots of [1, 7, 600, 1024, MOST_SLOTS]) {
        const first = foldAt(slots) - 20;
        const { memory, crew } = formatted(competitor, slots, 1, first);
        const [allocator] = crew;
        const taken = Array.from({ length: 40 }, () => allocator!.take());
        assert.deepEqual(
          taken,
          taken.map((_, index) => (first + index) % slots),
        );
        const { word } = competitor.inspect(memory, slots, 1, first).tickets!;
        assert.ok(word >= 20 && word < 20 + MOST_DRAWN, `the counter stands at ${word}`);
      }
    });
  }

  it("any seed is a first ticket", () => {
    const [allocator] = crewOf(sharedTicket, 600, 1, 2 ** 32 - 1);
    assert.equal(allocator!.take(), ((2 ** 32 - 1) % foldAt(600)) % 600);
  });

  it("a hole that one worker gives is taken by another", () => {
    const [one, other] = crewOf(ticketSharedHoles, 600, 2, 0);
    const slots = Array.from({ length: 10 }, () => one!.take());
    one!.give(slots[3]!);
    assert.equal(other!.take(), slots[3]);
    assert.equal(other!.take(), 10);
  });

  it("a slot that one worker gives stays with it where free lists are private", () => {
    const [one, other] = crewOf(ticketPrivateFreeList, 600, 2, 0);
    const slots = Array.from({ length: 10 }, () => one!.take());
    one!.give(slots[3]!);
    assert.equal(other!.take(), 10);
    assert.equal(one!.take(), slots[3]);
  });
});

it("slots: least loaded is as even after any coming and going as after filling, once the fleet is whole again", () => {
  const slots = 60;
  const crew = crewOf(lockedLeastLoaded, slots, 3, 1);
  const members = crew.map((allocator, index) => new Clients(allocator, new Int32Array(slots), 1_000, index));
  const random = new Random(1);
  for (const member of members) for (let count = 0; count < 337; count++) member.arrive();
  for (let round = 0; round < 200; round++) {
    const away = members.map((member) => {
      const leaving = random.below(member.held);
      for (let count = 0; count < leaving; count++) member.leave();
      return leaving;
    });
    for (const [index, member] of members.entries()) {
      for (let count = 0; count < away[index]!; count++) member.arrive();
    }
    assert.equal(laws.evenUnderChurn(lockedLeastLoaded, 3, laws.loadsOf(members)), undefined);
  }
});

describe("slots: buckets of slots by load", () => {
  const bucketsOf = (slots: number, start = 0) => {
    const memory = new Int32Array(LoadBuckets.words(slots)).fill(-7);
    LoadBuckets.format(memory, slots, start);
    return new LoadBuckets(memory, slots);
  };

  for (const slots of [1, 2, 3, 7, 16]) {
    it(`say of ${slots} slots what counting says`, () => {
      const buckets = bucketsOf(slots, slots - 1);
      const loads = new Array<number>(slots).fill(0);
      const held: number[] = [];
      const random = new Random(slots);
      for (let step = 0; step < 20_000; step++) {
        const kind = random.below(step % 4_000 < 2_000 ? 4 : 3);
        if (kind === 0 || kind === 3) {
          const slot = buckets.takeLeast();
          assert.equal(loads[slot], Math.min(...loads));
          loads[slot]!++;
          held.push(slot);
        } else if (kind === 1 && step % 3 === 0) {
          const slot = random.below(slots);
          buckets.addTo(slot);
          loads[slot]!++;
          held.push(slot);
        } else if (held.length > 0) {
          const slot = held.splice(random.below(held.length), 1)[0]!;
          buckets.give(slot);
          loads[slot]!--;
        }
        assert.equal(buckets.least, Math.min(...loads));
        for (const [slot, load] of loads.entries()) assert.equal(buckets.loadOf(slot), load);
      }
      for (const slot of held) buckets.give(slot);
      assert.equal(buckets.least, 0);
      assert.throws(() => buckets.give(0), /slot 0 has no client/);
    });
  }

  it("fill in the order of the slots, round the ring, pass after pass", () => {
    const buckets = bucketsOf(5, 3);
    const taken = Array.from({ length: 12 }, () => buckets.takeLeast());
    assert.deepEqual(taken, [3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4]);
  });

  it("take after a give none of the least loaded more often than another, the one given included", () => {
    const slots = 100;
    const buckets = bucketsOf(slots);
    for (let count = 0; count < 10 * slots + slots / 2; count++) buckets.takeLeast();
    const places = new Array<number>(slots).fill(0);
    let own = 0;
    const rounds = 10_000;
    for (let round = 0; round < rounds; round++) {
      // One of the slots that have a client more, so that those with fewer are 51 to choose from.
      let slot = (round * 37) % slots;
      while (buckets.loadOf(slot) !== 11) slot = (slot + 1) % slots;
      buckets.give(slot);
      const taken = buckets.takeLeast();
      places[(taken - slot + slots) % slots]!++;
      if (taken === slot) own++;
    }
    assert.ok(
      Math.abs(own - rounds / 51) < 0.5 * (rounds / 51),
      `${own} of ${rounds} got the slot just given`,
    );
    // How far on in the ring the slot taken is from the slot given: half a ring on average, neither just gone nor next.
    const distance = places.reduce((sum, count, place) => sum + count * place, 0) / (rounds - own);
    assert.ok(Math.abs(distance - slots / 2) < slots / 20, `${distance} slots on average`);
  });
});

const workerOf = (...loads: number[]): laws.WorkerSlots => ({
  takes: loads.reduce((sum, load) => sum + load, 0) + 1,
  gives: 1,
  strays: 0,
  loads: Int32Array.from(loads),
  counters: {},
});
const byChance = new Array<number>(600).fill(0);
const draws = new Random(1);
for (let client = 0; client < 10_000; client++) byChance[draws.below(600)]!++;

itJudgesAsWritten("slots: laws on what was made up", new URL("testdata/laws.txt", import.meta.url), {
  ...laws,
  ...{ MOST_DRAWN, worker: workerOf, byChance },
  tickets: (count: number, modulo: number, word = count) => ({ tickets: { count, modulo, word } }),
  traits: { spreadWhenFilling: (workers: number) => workers, spreadUnderChurn: () => 1 },
  holding: [{ ...workerOf(5, 4), counters: { held: 6 } }, workerOf(1, 1)],
  reusing: [{ ...workerOf(5, 4), counters: { reused: 1 } }, workerOf(1, 1)],
});

it("slots: chance makes a dispersion of about 1", () => {
  assert.ok(Math.abs(laws.dispersionOf(byChance) - 1) < 0.2);
});

it("slots: workers begin as far apart on the ring as they can", () => {
  const starts = (slots: number, workers: number) =>
    Array.from({ length: workers }, (_, index) => staggeredStart(slots, { index, workers }));
  assert.deepEqual(starts(600, 4), [0, 150, 300, 450]);
  assert.deepEqual(starts(2, 3), [0, 0, 1]);
  assert.deepEqual(starts(1, 2), [0, 0]);
});
