import type { Board } from "./board.ts";
import { type Costs, coresOf, type Topology } from "./machine.ts";

/** By pair of cores: see `Lines.distance`. */
function distancesIn(topology: Topology): Uint8Array {
  const cores = coresOf(topology);
  const { coresPerComplex, complexesPerSocket } = topology;
  const complexOf = (core: number) => Math.floor(core / coresPerComplex);
  const socketOf = (core: number) => Math.floor(complexOf(core) / complexesPerSocket);
  return Uint8Array.from({ length: cores * cores }, (_, pair) => {
    const one = Math.floor(pair / cores);
    const other = pair % cores;
    if (one === other) return 0;
    if (complexOf(one) === complexOf(other)) return 1;
    return socketOf(one) === socketOf(other) ? 2 : 3;
  });
}

export const WORDS_PER_LINE = 16;
/** No core, no worker. */
export const NONE = -1;

/**
 * Who has which cache line, and how long it takes another core to get it. A core has a line alone, or several have
 * copies to read (MESI). A request takes effect at the former owner after a share of its travel. Until then the owner
 * keeps the line; afterwards it is on its way, and further requests wait in a queue. Once it has arrived, it stays a
 * while: the new owner would otherwise lose it before it could use it (Hackenberg, Molka & Nagel, MICRO 2009, measure
 * the travels; the queue is a directory's that serves one request for a line at a time).
 *
 * Not modelled: capacity (a line that a core has got stays until another core takes it), prefetching of neighbours,
 * store buffers, threads that share a core at once.
 */
export class Lines {
  readonly #board: Board;
  readonly #cores: number;
  readonly #distances: Uint8Array;
  readonly #costs: Costs;
  readonly #travels: readonly number[];
  readonly #sharerWords: number;

  constructor(board: Board, topology: Topology, costs: Costs) {
    this.#board = board;
    this.#cores = coresOf(topology);
    this.#distances = distancesIn(topology);
    this.#costs = costs;
    this.#travels = [0, costs.travelInComplex, costs.travelInSocket, costs.travelBetweenSockets];
    this.#sharerWords = board.sharerWords;
  }

  /** No request takes effect at another core sooner than this after it was made, in ns. */
  get leastDelay(): number {
    const { snoopShare, copyShare, upgradeShare, jitter } = this.#costs;
    const [, ...travels] = this.#travels;
    return (1 - jitter) * snoopShare * Math.min(1, copyShare, upgradeShare) * Math.min(...travels);
  }

  /**
   * Whether `core` needs no other core to load from the line, or to store to it. Nor does it need one where no core has
   * had the line: what such a line costs is in what an operation was measured to cost one worker.
   */
  has(core: number, line: number, writes: boolean): boolean {
    const owner = this.#board.owner[line]!;
    if (owner === core) return true;
    if (owner !== NONE) return false;
    return writes ? !this.#isShared(line) : this.#shares(core, line) || !this.#isShared(line);
  }

  /** `core` uses the line, for which it needs no other core. */
  use(core: number, line: number): void {
    const { owner } = this.#board;
    if (owner[line] === NONE && !this.#isShared(line)) owner[line] = core;
  }

  /** From the request of a core that does not have the line until it takes effect, in ns, of a travel of usual length. */
  delay(core: number, line: number, writes: boolean): number {
    return this.#costs.snoopShare * this.#travel(core, line, writes);
  }

  /**
   * The line goes to `core`, whose request takes effect at `start`. Returns when the core has it, after a travel of
   * `length` times the usual. From `freeAt` on the next request may take effect.
   */
  take(core: number, line: number, writes: boolean, start: number, length: number): number {
    const { owner, freeAt } = this.#board;
    const { snoopShare, hold, readHold, sharedRead } = this.#costs;
    const arrival = start + length * (1 - snoopShare) * this.#travel(core, line, writes);
    const former = owner[line]!;
    if (writes) {
      this.#clearSharers(line);
      owner[line] = core;
      freeAt[line] = arrival + hold;
      return arrival;
    }
    const wasShared = former === NONE && this.#isShared(line);
    owner[line] = NONE;
    if (former !== NONE) this.#share(former, line);
    this.#share(core, line);
    freeAt[line] = wasShared ? start + sharedRead : arrival + readHold;
    return arrival;
  }

  /** 0: the same core; 1: of the same complex; 2: of the same socket; 3: of another. */
  distance(one: number, other: number): number {
    return this.#distances[one * this.#cores + other]!;
  }

  /** In ns. */
  #travel(core: number, line: number, writes: boolean): number {
    const owner = this.#board.owner[line]!;
    const ofKind = writes ? 1 : this.#costs.copyShare;
    if (owner !== NONE) return ofKind * this.#travels[this.distance(core, owner)]!;
    let nearest = 3;
    let farthest = 0;
    let others = 0;
    for (let sharer = 0; sharer < this.#sharerWords * 32; sharer++) {
      if (sharer === core || !this.#shares(sharer, line)) continue;
      const distance = this.distance(core, sharer);
      nearest = Math.min(nearest, distance);
      farthest = Math.max(farthest, distance);
      others++;
    }
    if (!writes) return ofKind * this.#travels[nearest]!;
    const share = this.#shares(core, line) ? this.#costs.upgradeShare : 1;
    const reached = Math.max(farthest, 1);
    return share * this.#travels[reached]! + Math.max(0, others - 1) * this.#costs.invalidation;
  }

  #shares(core: number, line: number): boolean {
    const { sharers } = this.#board;
    return (sharers[line * this.#sharerWords + (core >>> 5)]! & (1 << (core & 31))) !== 0;
  }

  #share(core: number, line: number): void {
    const { sharers } = this.#board;
    sharers[line * this.#sharerWords + (core >>> 5)]! |= 1 << (core & 31);
  }

  #isShared(line: number): boolean {
    const { sharers } = this.#board;
    for (let at = 0; at < this.#sharerWords; at++)
      if (sharers[line * this.#sharerWords + at] !== 0) return true;
    return false;
  }

  #clearSharers(line: number): void {
    const at = line * this.#sharerWords;
    this.#board.sharers.fill(0, at, at + this.#sharerWords);
  }
}
