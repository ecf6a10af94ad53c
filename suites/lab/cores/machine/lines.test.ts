import assert from "node:assert/strict";
import { test } from "node:test";
import { type Edit, mutatedModule } from "../../../../structures/shared/mutated.ts";
import { Random } from "../../../../structures/shared/sfc32.ts";
import { makeBoard } from "./board.ts";
import { TEST_COSTS } from "./crews.synthetic.ts";
import * as modelled from "./lines.ts";
import { coresOf, type Topology } from "./machine.ts";

/** Twenty cores to a socket: those that have a copy do not fit into one word. */
const TOPOLOGY: Topology = { sockets: 2, complexesPerSocket: 4, coresPerComplex: 5 };
const LINES = 3;
const STEPS = 2_000;
const { copyShare, upgradeShare, snoopShare, invalidation, hold, readHold, sharedRead } = TEST_COSTS;

interface Copy {
  readonly core: number;
  readonly isAlone: boolean;
}

/** The slow oracle: a list of the copies of one line. */
class Copies {
  list: readonly Copy[] = [];

  mayUse(core: number, writes: boolean): boolean {
    const own = this.list.find((copy) => copy.core === core);
    return this.list.length === 0 || (own !== undefined && (own.isAlone || !writes));
  }

  use(core: number): void {
    if (this.list.length === 0) this.list = [{ core, isAlone: true }];
  }

  take(core: number, writes: boolean): void {
    const kept = writes ? [] : this.list.map((copy) => ({ ...copy, isAlone: false }));
    this.list = [...kept, { core, isAlone: writes }];
  }

  travelNs(core: number, writes: boolean): number {
    const others = this.list.filter((copy) => copy.core !== core);
    const travels = others.map((copy) => travelBetween(core, copy.core));
    if (!writes) return copyShare * Math.min(...travels);
    if (others.some(({ isAlone }) => isAlone)) return travels[0]!;
    const isUpgrade = others.length < this.list.length;
    // One that has the only copy, but not alone, asks as far as its complex.
    const farthest = Math.max(TEST_COSTS.travelInComplex, ...travels);
    return (isUpgrade ? upgradeShare : 1) * farthest + invalidation * Math.max(0, others.length - 1);
  }
}

function travelBetween(one: number, other: number): number {
  const { coresPerComplex, complexesPerSocket } = TOPOLOGY;
  const perSocket = coresPerComplex * complexesPerSocket;
  if (Math.floor(one / perSocket) !== Math.floor(other / perSocket)) return TEST_COSTS.travelBetweenSockets;
  return Math.floor(one / coresPerComplex) === Math.floor(other / coresPerComplex)
    ? TEST_COSTS.travelInComplex
    : TEST_COSTS.travelInSocket;
}

/** The first way in which the model differs from the oracle over random accesses; undefined if it never does. */
function difference({ Lines, NONE }: typeof modelled): string | undefined {
  const cores = coresOf(TOPOLOGY);
  const board = makeBoard(1, LINES, cores);
  const lines = new Lines(board, TOPOLOGY, TEST_COSTS);
  const oracle = Array.from({ length: LINES }, () => new Copies());
  const random = new Random(1);
  for (let step = 0, now = 0; step < STEPS; step++, now += random.below(100)) {
    // A third of all accesses are by two cores, so that lines come back.
    const [core, line] = [random.below(3) === 0 ? random.below(2) : random.below(cores), random.below(LINES)];
    const writes = random.below(4) === 0;
    const copies = oracle[line]!;
    for (let asking = 0; asking < cores; asking++)
      for (const asked of [false, true])
        if (lines.has(asking, line, asked) !== copies.mayUse(asking, asked))
          return `has: core ${asking}, ${asked ? "to write" : "to read"}, in step ${step}`;
    if (lines.has(core, line, writes)) {
      lines.use(core, line);
      copies.use(core);
    } else {
      const [travel, wasShared] = [
        copies.travelNs(core, writes),
        !copies.list.some(({ isAlone }) => isAlone),
      ];
      const delay = lines.delay(core, line, writes);
      if (Math.abs(delay - snoopShare * travel) > 1e-9) return `delay: ${delay} of ${travel} in step ${step}`;
      if (delay < lines.leastDelay) return `leastDelay: ${delay} is less in step ${step}`;
      const before = board.freeAt[line]!;
      const start = Math.max(before, now + delay);
      const arrival = lines.take(core, line, writes, start, 1);
      const freeAt = writes ? arrival + hold : wasShared ? start + sharedRead : arrival + readHold;
      if (Math.abs(arrival - start - (1 - snoopShare) * travel) > 1e-9) return `arrival: in step ${step}`;
      if (board.freeAt[line] !== freeAt || freeAt < before) return `freeAt: in step ${step}`;
      copies.take(core, writes);
    }
    const sharers = board.sharers.subarray(line * board.sharerWords, (line + 1) * board.sharerWords);
    if (board.owner[line] !== NONE && sharers.some((bits) => bits !== 0))
      return `oneOwnerOrSharers: core ${board.owner[line]} and others in step ${step}`;
  }
  return undefined;
}

test("lines are had as a list of copies says, and take as long", () => {
  assert.equal(difference(modelled), undefined);
});

const MUTANTS: readonly (readonly [law: string, Edit])[] = [
  ["oneOwnerOrSharers", ["      this.#clearSharers(line);\n", ""]],
  ["has", ["    if (former !== NONE) this.#share(former, line);\n", ""]],
  ["has", ["if (owner !== NONE) return false;", ""]],
  [
    "has",
    [
      "    const { sharers } = this.#board;\n    sharers[line * this.#sharerWords + (core >>> 5)]!",
      "    const { sharers } = this.#board;\n    sharers[line * this.#sharerWords]!",
    ],
  ],
  ["delay", ["this.#travels[reached]!", "this.#travels[nearest]!"]],
  ["delay", ["Math.max(0, others - 1)", "others"]],
  ["leastDelay", ["Math.min(...travels)", "Math.max(...travels)"]],
  ["arrival", ["length * (1 - snoopShare)", "length"]],
  ["freeAt", ["wasShared ? start + sharedRead : arrival + readHold", "arrival + readHold"]],
];
for (const [law, edit] of MUTANTS) {
  test(`lines that break ${law} are noticed: ${edit[1].trim() || `without ${edit[0].trim()}`}`, async () => {
    const url = new URL("./lines.ts", import.meta.url).href;
    const broken = difference(await mutatedModule<typeof modelled>(url, edit));
    assert.ok(broken?.startsWith(`${law}:`), broken ?? "not noticed");
  });
}
