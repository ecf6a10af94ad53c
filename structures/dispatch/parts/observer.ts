import { type DispatchCompetitor, type DispatchList, NOBODY, type Order } from "../dispatch.contract.ts";
import * as laws from "../dispatch.laws.ts";
import { lastSecond } from "./seconds.ts";

export type Law = keyof typeof laws;

/** What is done to a list. Delays and steps are seconds from its clock. */
export type Act =
  | { readonly kind: "enter"; readonly client: number; readonly delay: number }
  | { readonly kind: "remove"; readonly client: number }
  /** At most `limit` takes; a client taken for the first time in them is entered again if there is a delay for it. */
  | {
      readonly kind: "take";
      readonly step: number;
      readonly limit: number;
      readonly again: number | undefined;
    }
  /** Every call that has to be refused, at the state that the list is in. */
  | { readonly kind: "offend" };

export const enter = (client: number, delay: number): Act => ({ kind: "enter", client, delay });
export const remove = (client: number): Act => ({ kind: "remove", client });
export const take = (step: number, again?: number, limit = Number.POSITIVE_INFINITY): Act => ({
  kind: "take",
  step,
  limit,
  again,
});

/** Drives a list, keeps its own account of every client, and holds what it sees against the laws. */
export class Observer {
  readonly list: DispatchList;
  readonly broken = new Map<Law, string>();
  /** For each act that takes, all it took, sorted: no list promises the order within. */
  readonly transcript: number[][] = [];
  readonly #clients: number;
  readonly #reach: number;
  readonly #order: Order;
  readonly #last: number;
  /** The deadlines of the clients listed. */
  readonly #deadlines = new Map<number, number>();
  #clock: number;
  #latestDeadline: number;
  #entered = 0;
  #taken = 0;
  #removed = 0;

  /** Under order `by deadline`, deadlines that would come before an earlier one are moved to it. */
  constructor(competitor: DispatchCompetitor, clients: number, reach: number, order: Order, start = 0) {
    this.list = competitor.create(clients, reach, start);
    this.#clock = start;
    this.#last = lastSecond(start);
    this.#latestDeadline = start;
    this.#clients = clients;
    this.#reach = reach;
    this.#order = order;
  }

  run(acts: readonly Act[]): this {
    for (const act of acts) {
      if (act.kind === "enter") this.#enter(act.client % this.#clients, act.delay);
      else if (act.kind === "remove") this.#remove(act.client % this.#clients);
      else if (act.kind === "take") this.#take(this.#clock + act.step, act.limit, act.again);
      else this.#offend();
    }
    return this;
  }

  /** Takes all that is left, and judges the whole. */
  finish(): this {
    this.#take(this.#clock + this.#reach, Number.POSITIVE_INFINITY, undefined);
    const totals = { entered: this.#entered, taken: this.#taken, removed: this.#removed };
    this.#judge("conserved", laws.conserved(totals));
    return this;
  }

  #judge(law: Law, finding: string | undefined): void {
    if (finding !== undefined) this.broken.set(law, finding);
  }

  #enter(client: number, delay: number): void {
    if (this.#deadlines.has(client)) {
      this.#refusesEntry(`client ${client} again`, Error, client, this.#clock);
      return;
    }
    const wanted = this.#clock + Math.min(delay, this.#reach);
    const deadline = this.#order === "any" ? wanted : Math.max(wanted, this.#latestDeadline);
    this.list.enter(client, deadline);
    this.#deadlines.set(client, Math.max(deadline, this.#clock));
    this.#latestDeadline = Math.max(deadline, this.#latestDeadline);
    this.#entered++;
  }

  #remove(client: number): void {
    const answer = this.list.remove(client);
    const isTrue = answer === this.#deadlines.delete(client);
    this.#judge("answersTruly", laws.answersTruly(isTrue ? 0 : 1));
    if (answer) this.#removed++;
  }

  #take(now: number, limit: number, again: number | undefined): void {
    const taken: number[] = [];
    this.transcript.push(taken);
    const enteredAgain = new Set<number>();
    this.#clock = Math.max(this.#clock, now);
    // Nobody is due more than twice: a list that goes on beyond that never ends.
    while (taken.length < Math.min(limit, 2 * this.#clients + 1)) {
      const client = this.list.take(now);
      if (client === NOBODY) {
        const next = this.#clock + 1;
        this.#judge("onTime", laws.onTime(0, next - Math.min(next, ...this.#deadlines.values())));
        break;
      }
      taken.push(client);
      this.#taken++;
      const deadline = this.#deadlines.get(client);
      this.#judge("takenOnce", laws.takenOnce(deadline === undefined ? 1 : 0));
      if (deadline === undefined) continue;
      this.#judge("onTime", laws.onTime(deadline - this.#clock, 0));
      this.#deadlines.delete(client);
      if (again === undefined || enteredAgain.has(client)) continue;
      enteredAgain.add(client);
      this.#enter(client, again);
    }
    taken.sort((a, b) => a - b);
  }

  #offend(): void {
    const clock = this.#clock;
    const stranger = Array.from({ length: this.#clients }, (_, client) => client).find(
      (client) => !this.#deadlines.has(client),
    );
    if (stranger !== undefined) {
      for (const deadline of [clock + this.#reach + 1, clock + 0.5, ...NO_INTEGERS])
        this.#refusesEntry(`deadline ${deadline} at ${clock}`, RangeError, stranger, deadline);
    }
    for (const now of [this.#last + 1, clock + 0.5, ...NO_INTEGERS])
      this.#refuses(`now ${now}`, RangeError, () => this.list.take(now));
    for (const client of [this.#clients, -1, 0.5, ...NO_INTEGERS]) {
      this.#refusesEntry(`client ${client}`, RangeError, client, clock);
      this.#judge("answersTruly", laws.answersTruly(this.list.remove(client) ? 1 : 0));
    }
  }

  #refusesEntry(what: string, kind: ErrorKind, client: number, deadline: number): void {
    this.#refuses(what, kind, () => this.list.enter(client, deadline));
  }

  #refuses(what: string, kind: ErrorKind, call: () => void): void {
    try {
      call();
    } catch (error) {
      if (error instanceof kind) return;
    }
    this.#judge("badInputIsRefused", laws.badInputIsRefused([what]));
  }
}

type ErrorKind = ErrorConstructor | RangeErrorConstructor;

/** What is no int32, with the multiples of 2^32, which `| 0` would make one. */
const NO_INTEGERS = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2 ** 32, -(2 ** 32)];
