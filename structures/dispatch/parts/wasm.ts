import { allocateLinear } from "../../shared/layout.ts";
import { codeIn, type Instantiate, placeIn } from "../../shared/wasm.ts";
import type { DispatchList } from "../dispatch.contract.ts";
import CODE from "./dispatch.wasm.ts";
import { UNLISTED } from "./links.ts";
import { alreadyListed, assertSetup, clockAfter, deadlineSecond, isClient, lastSecond } from "./seconds.ts";

/** The functions of dispatch.wasm, whose text (dispatch.wat) says what they do to the memory that they were instantiated for. */
export interface DispatchCode {
  /** Returns 0 for a client that is listed. */
  enter(client: number, second: number, clock: number): number;
  /** Returns 0 for a client that is not listed. */
  remove(client: number): number;
  /** Returns NOBODY where no client is due. */
  takeDue(): number;
  moveTo(clock: number, last: number): void;
}

export const dispatchCode = codeIn<DispatchCode>(CODE);

/** What ring-of-slots keeps for a second and for a client, and how many words that is. */
const RECORD_WORDS = 2;

/** ring-of-slots with its lists in `code`; the clock, and what is refused, in JavaScript. */
export class RingInCode implements DispatchList {
  readonly #code: DispatchCode;
  readonly #clients: number;
  readonly #reach: number;
  readonly #last: number;
  #clock: number;

  constructor(code: Instantiate<DispatchCode>, clients: number, reach: number, start: number) {
    assertSetup(clients, reach, start);
    // Seconds clock + 1 .. clock + reach have a slot each; the clock's own is empty, as its clients are due.
    const slots = 2 ** (32 - Math.clz32(reach - 1));
    const { memory, linear } = allocateLinear((clients + slots + 1) * RECORD_WORDS);
    memory.fill(UNLISTED);
    this.#code = code({ dispatch: { ...placeIn(linear, memory), clients, slots } });
    this.#clients = clients;
    this.#reach = reach;
    this.#last = lastSecond(start);
    this.#clock = start;
  }

  enter(client: number, deadline: number): void {
    const second = deadlineSecond(client, deadline, this.#clients, this.#clock, this.#reach);
    if (this.#code.enter(client, second, this.#clock) === 0) throw alreadyListed(client);
  }

  remove(client: number): boolean {
    return isClient(client, this.#clients) && this.#code.remove(client) === 1;
  }

  take(now: number): number {
    if (now !== this.#clock) this.#moveTo(now);
    return this.#code.takeDue();
  }

  #moveTo(now: number): void {
    const clock = clockAfter(now, this.#clock, this.#last);
    this.#code.moveTo(this.#clock, Math.min(clock, this.#clock + this.#reach));
    this.#clock = clock;
  }
}
