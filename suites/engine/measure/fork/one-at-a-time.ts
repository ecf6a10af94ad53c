import type { Region } from "../../words/layout.ts";
import { InstrumentBroken } from "../plan/failures.ts";
import { type Arena, type Copy, enterArena, isUntouched, leaveArena, NOBODY } from "./arena.ts";
import { brokenAt, isAtRest, NOT_ORDERED, NOTHING, openGate, type SliceOrder } from "./gate.ts";

/** A crew as other crews know it. */
interface Member {
  readonly name: string;
  readonly gate: Region;
}

/**
 * All crews of a process: one at a time runs, and one at a time is in the arena. Two at once would measure each other,
 * in words that are neither's. Where that still happens, or a stranger writes in the arena between two slices, calls
 * throw InstrumentBroken and name the crews.
 *
 * Kept by the coordinator, which orders every slice here. Crews have numbers, from 1.
 */
export class OneAtATime {
  readonly #arena: Arena | undefined;
  readonly #members: Member[] = [];
  #ranLast: Member | undefined;
  /** What the last crew in the arena left there, and which crew that was; undefined where unknown. */
  #left: { readonly copies: readonly Copy[]; readonly by: Member } | undefined;

  /** The arena is undefined where each crew has memory of its own. */
  constructor(arena: Arena | undefined) {
    this.#arena = arena;
  }

  /** Returns the number of a crew that joins. */
  join(name: string, gate: Region): number {
    return this.#members.push({ name, gate });
  }

  /** Before a crew is attached in the arena. */
  enter(crew: number): void {
    if (this.#arena === undefined) return;
    const found = enterArena(this.#arena, crew);
    if (found !== NOBODY) throw this.#notAlone(crew, found);
    this.#left = undefined;
  }

  /** After a crew was attached there; `copies` are kept of what it left. */
  leave(crew: number, copies: readonly Copy[]): void {
    if (this.#arena === undefined) return;
    leaveArena(this.#arena, crew);
    this.#left = { copies, by: this.#member(crew) };
  }

  /** Starts a crew's slice, in which its state is copied into the arena and out again if it has `copies` of that. */
  open(crew: number, copies: readonly Copy[], order: SliceOrder): void {
    const member = this.#member(crew);
    const ranLast = this.#ranLast ?? member;
    this.check();
    if (!isAtRest(ranLast.gate)) {
      throw new InstrumentBroken(
        `two crews at once: ${ranLast.name} was still running when ${member.name} was to begin`,
      );
    }
    if (order.account) this.#checkUntouched();
    openGate(member.gate, order, ranLast.gate);
    this.#ranLast = member;
    if (copies.length > 0) this.#left = { copies, by: member };
  }

  /** Throws if a worker of any crew has found something broken. */
  check(): void {
    // By index, as in crew.ts: it is called in each slice.
    for (let index = 0; index < this.#members.length; index++) {
      const { gate, name } = this.#members[index]!;
      const found = brokenAt(gate);
      if (found === NOTHING) continue;
      if (found !== NOT_ORDERED) throw this.#notAlone(index + 1, found);
      throw new InstrumentBroken(
        `two crews at once: ${name} was about to run a slice that nobody had ordered`,
      );
    }
  }

  /** When all threads of a crew have been ended, wherever they were. */
  ended(crew: number): void {
    const member = this.#member(crew);
    if (this.#arena !== undefined) leaveArena(this.#arena, crew);
    if (this.#ranLast === member) this.#ranLast = undefined;
    if (this.#left?.by === member) this.#left = undefined;
  }

  #member(crew: number): Member {
    return this.#members[crew - 1]!;
  }

  #notAlone(crew: number, found: number): InstrumentBroken {
    const [entering, inside] = [this.#member(crew), this.#member(found)];
    return new InstrumentBroken(
      `two crews in one memory: ${inside.name} had not left when ${entering.name} entered`,
    );
  }

  #checkUntouched(): void {
    if (this.#left === undefined || isUntouched(this.#left.copies)) return;
    throw new InstrumentBroken(
      `a stranger in the memory of all crews: somebody wrote there after ${this.#left.by.name} had left`,
    );
  }
}
// A competitor may import this module, too.
Object.freeze(OneAtATime.prototype);
