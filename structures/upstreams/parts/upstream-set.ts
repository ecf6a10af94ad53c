import { type Dispatcher, errors } from "undici";
import { type ByKey, isByKey } from "../../affinity/parts/by-key.ts";
import { isGatewayFailure, isTimeout } from "../../pick/parts/outcomes.ts";
import { type Member, Roster } from "../../pick/parts/roster.ts";
import type { PickCompetitor } from "../../pick/pick.contract.ts";
import type { Carried, Carrier, Handler, HeaderOf, Socket, Upstream } from "./carried.ts";
import { type DrainOptions, drainEnd } from "./drain-end.ts";
import { type LoadReport, ORCA_HEADER, orcaReport } from "./load-report.ts";
import { isRefused, offered } from "./offers.ts";
import { isUnreachable, isUpstreamFault } from "./outcomes.ts";
import { Waiting } from "./waiting.ts";

/** What a set of upstreams is made with; see `BalancedOptions` for what the fields mean. */
export interface SetOptions {
  readonly picker: PickCompetitor | ByKey<string>;
  readonly eject: ConstructorParameters<typeof Roster>[3]["eject"];
  readonly slowStart: ConstructorParameters<typeof Roster>[3]["slowStart"];
  readonly seed: number | undefined;
  readonly redispatch: boolean;
  readonly failed: ((statusCode: number) => boolean) | undefined;
  readonly report: ((headerOf: HeaderOf) => LoadReport | undefined) | undefined;
  readonly poolOf: (origin: string) => Dispatcher;
}

/** A report that is older is not used: as old as an answer may be in hot-cold-probes. */
const OLDEST_REPORT_MS = 1_000;

/**
 * The upstreams of one dispatcher, and its requests: those in flight, and those that wait because every pool is full.
 *
 * A pool is **full** from a dispatch that returned false until its event `drain`. As in undici's BalancedPool, no
 * request is dispatched to a full pool. A picker that picks a full pool is asked again.
 *
 * An upstream is **permitted** to a request unless it could not be reached with it before, or is ejected and not due for a
 * trial. One that is ejected is permitted, too, where no other will do, full ones included. A request waits here while
 * no permitted upstream has room, and no longer. So whatever may make room looks at what waits: a pool that drains, a
 * member that comes or goes, an ejection that begins or ends, a trial that is due.
 */
export class UpstreamSet implements Carrier {
  readonly roster: Roster<Upstream>;
  readonly #options: SetOptions;
  readonly #emit: Emit;
  readonly #waiting = new Waiting<Carried & Handler>();
  #trialTimer: NodeJS.Timeout | undefined;
  /** Those that are being drained, until their connections are closed. */
  readonly #leaving = new Map<Member<Upstream>, Promise<void>>();
  /** Members whose pool is full. */
  #full = 0;
  /** Whether a dispatch has returned false since the last event `drain`. */
  #needsDrain = false;
  /** Requests dispatched that have not ended, upgraded ones not included. */
  #open = 0;
  #idle: (() => void) | undefined;
  #closing: Promise<void> | undefined;
  #destroyed = false;

  constructor(
    origins: readonly string[],
    weights: readonly number[] | undefined,
    options: SetOptions,
    emit: Emit,
  ) {
    this.#options = options;
    this.#emit = emit;
    if (new Set(origins).size < origins.length)
      throw new errors.InvalidArgumentError("an upstream is there twice: give each once");
    const upstreams = origins.map((origin) => this.#upstream(origin));
    this.roster = new Roster(overUpstreams(options.picker), upstreams, weights, options);
    for (const upstream of upstreams) this.#listen(upstream);
  }

  get isClosed(): boolean {
    return this.#closing !== undefined || this.#destroyed;
  }

  get isDestroyed(): boolean {
    return this.#destroyed;
  }

  get readsReports(): boolean {
    return this.roster.probes !== undefined;
  }

  /** Whether the caller may dispatch more. Otherwise it should wait for the event `drain`. */
  dispatch(carried: Carried & Handler): boolean {
    this.#open++;
    // A trial may be due for what waits.
    this.#placeWaiting();
    this.#carry(carried);
    if (this.#isAllFull) this.#needsDrain = true;
    return !this.#needsDrain;
  }

  add(origin: string, weight: number | undefined): void {
    if (this.#memberOf(origin) !== undefined)
      throw new errors.InvalidArgumentError(
        `${origin} is an upstream already: to change its weight, drain it first`,
      );
    const upstream = this.#upstream(origin);
    this.roster.add(upstream, weight);
    this.#listen(upstream);
    this.#placeWaiting();
    // After the caller has had time to listen.
    queueMicrotask(() => this.#makeUse(new URL(origin), []));
  }

  async drain(origin: string, options: DrainOptions): Promise<void> {
    const member = this.#memberOf(origin);
    if (member !== undefined) this.#leave(member);
    const leaving = [...this.#leaving].filter(([{ item }]) => item.origin === origin);
    if (leaving.length === 0)
      throw new errors.InvalidArgumentError(`${origin} is no upstream: nothing is to be drained`);
    const gone = Promise.all(leaving.map(([, gone]) => gone));
    await drainEnd(gone, options, (error) => {
      for (const [{ item }] of leaving) this.#cut(item, error);
    });
  }

  /** All upstreams, also those that are being drained. */
  get known(): readonly Member<Upstream>[] {
    return [...this.#leaving.keys(), ...this.roster.members];
  }

  #leave(member: Member<Upstream>): void {
    const { item } = member;
    // What waits was dispatched before, and the last upstream is the only one to serve it.
    if (this.roster.members.length === 1)
      for (const carried of this.#waiting.taken())
        this.#carryOrFail(carried, () =>
          this.#carryTo(this.roster.pick(undefined, false, carried.key)!, carried),
        );
    const drained = this.roster.drain(member);
    if (item.isFull) this.#full--;
    this.#leaving.set(member, this.#gone(member, drained));
    for (const carried of this.#waiting) {
      if (this.#isLeftToTry(carried)) continue;
      this.#waiting.delete(carried);
      this.#fail(carried, carried.lastError);
    }
    this.#makeUse(new URL(item.origin), []);
  }

  async #gone(member: Member<Upstream>, drained: Promise<void>): Promise<void> {
    await drained;
    try {
      if (!this.#destroyed && !member.item.isCut) await member.item.pool.close();
    } finally {
      this.#leaving.delete(member);
    }
  }

  /** Ends what is in flight there. What it has not sent yet is dispatched elsewhere. */
  #cut(upstream: Upstream, error: Error): void {
    upstream.isCut = true;
    for (const socket of upstream.upgraded) socket.destroy?.();
    upstream.pool.destroy(error);
  }

  /** Resolves when every request has ended, and the pools are closed. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#open > 0) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
    await this.destroy(null);
  }

  async destroy(reason: Error | null): Promise<void> {
    const isFirst = !this.#destroyed;
    this.#destroyed = true;
    const error = reason ?? new errors.ClientDestroyedError();
    clearTimeout(this.#trialTimer);
    for (const carried of this.#waiting.taken()) this.#fail(carried, error);
    if (!isFirst) return;
    await Promise.all(this.known.map(({ item }) => item.pool.destroy(error)));
  }

  answered(carried: Carried, statusCode: number, headerOf: HeaderOf): void {
    const { member } = carried;
    // Informational answers come before the one that counts.
    if (member === undefined || statusCode < 200) return;
    carried.hasFailed = (this.#options.failed ?? isGatewayFailure)(statusCode) === true;
    if (!this.readsReports) return;
    const atMs = performance.now();
    const { report: read = readOrca } = this.#options;
    const report = read(headerOf);
    if (report !== undefined)
      member.item.report = { load: report.load, latencyMs: report.latencyMs ?? atMs - carried.sentMs, atMs };
  }

  ended(carried: Carried): void {
    this.#release(carried, carried.hasFailed);
    this.#endHeard(carried);
  }

  isCarriedOn(carried: Carried & Handler, error: unknown): boolean {
    const { member, isSent } = carried;
    const isFault = isFaultOfUpstream(carried, error);
    this.#release(carried, isFault || carried.hasFailed ? true : undefined);
    if (!isSent && isFault && this.#options.redispatch && !this.#destroyed) {
      carried.tried.push(member!);
      carried.lastError = error;
      if (this.#isLeftToTry(carried)) {
        this.#carryOrFail(carried, () => this.#carry(carried));
        return true;
      }
    }
    this.#endHeard(carried);
    return false;
  }

  upgraded(carried: Carried, socket: Socket): void {
    const { upgraded } = carried.member!.item;
    upgraded.add(socket);
    socket.once("close", () => {
      upgraded.delete(socket);
      this.#release(carried, false);
    });
    this.#endHeard(carried);
  }

  /** Dispatches the request to an upstream, or has it wait, or fails it where there is none. */
  #carry(carried: Carried & Handler): void {
    const member = this.#pick(carried);
    if (member !== undefined) this.#carryTo(member, carried);
    else if (this.#isLeftToTry(carried)) {
      this.#waiting.add(carried);
      this.#awaitTrial();
    } else this.#fail(carried, carried.lastError ?? new NoUpstreamError());
  }

  /** Where the request may go now; undefined where it has to wait for a pool to drain. */
  #pick(carried: Carried): Member<Upstream> | undefined {
    const { probes } = this.roster;
    if (probes === undefined) return this.#pickFor(carried);
    probes.advance(performance.now());
    const member = this.#pickFor(carried);
    this.#answerProbes(probes);
    return member;
  }

  #pickFor({ tried, key }: Carried): Member<Upstream> | undefined {
    const { roster } = this;
    if (this.#full === 0 && tried.length === 0) return roster.pick(undefined, false, key);
    // An upstream that is full serves it later. Of those that are ejected none is waited for, as nothing may come of it.
    const isWorthWaiting = roster.members.some(
      (member) => member.item.isFull && !tried.includes(member) && !member.standing.isEjected,
    );
    return roster.pick((member) => member.item.isFull || tried.includes(member), !isWorthWaiting, key);
  }

  /** The answer to a probe is what the upstream last reported with an answer to a request. */
  #answerProbes(probes: NonNullable<Roster<Upstream>["probes"]>): void {
    const oldestMs = performance.now() - OLDEST_REPORT_MS;
    for (let at = probes.next(); at !== -1; at = probes.next()) {
      const { report } = this.roster.members[at]!.item;
      if (report !== undefined && report.atMs >= oldestMs) probes.answer(at, report.load, report.latencyMs);
    }
  }

  #carryTo(member: Member<Upstream>, carried: Carried & Handler): void {
    const { item } = member;
    carried.member = member;
    carried.round = member.standing.round;
    carried.pickedMs = this.roster.nowMs;
    item.requests++;
    let hasRoom: boolean;
    try {
      hasRoom = offered(() => item.pool.dispatch({ ...carried.options, origin: item.origin }, carried));
    } catch (error) {
      // Its handler hears of nothing, and the caller of this.
      if (carried.member === member) {
        this.#release(carried, undefined);
        this.#end();
      }
      throw error;
    }
    // A pool that fails a request at once returns false, too, and no drain follows.
    if (hasRoom || carried.member !== member || item.isFull) return;
    item.isFull = true;
    if (member.drained === undefined) this.#full++;
  }

  /** What a dispatch throws is for the request's handler, not for whoever made room for it. */
  #carryOrFail(carried: Carried & Handler, carry: () => void): void {
    try {
      carry();
    } catch (error) {
      // A handler that has heard of its end threw this itself.
      if (carried.isHeard) throw error;
      carried.fail(error);
    }
  }

  /** Once for each dispatch to an upstream: a surplus call does nothing. */
  #release(carried: Carried, failed: boolean | undefined): void {
    const { member } = carried;
    if (member === undefined) return;
    carried.member = undefined;
    if (failed) member.item.failures++;
    this.roster.release(member, failed, carried.round, carried.pickedMs);
    // Its end may have begun or ended an ejection.
    this.#placeWaiting();
  }

  /** For a request that is in flight nowhere. */
  #fail(carried: Carried, error: unknown): void {
    this.#end();
    carried.fail(error);
  }

  /** Its handler hears of its end now. */
  #endHeard(carried: Carried): void {
    carried.isHeard = true;
    this.#end();
  }

  #end(): void {
    this.#open--;
    if (this.#open === 0) this.#idle?.();
  }

  #isLeftToTry({ tried }: Carried): boolean {
    return this.roster.members.some((member) => !tried.includes(member));
  }

  get #isAllFull(): boolean {
    return this.#full > 0 && this.#full === this.roster.members.length;
  }

  /** There may be room again: for requests that wait, and for those of the caller. */
  #makeUse(origin: URL, targets: readonly Dispatcher[]): void {
    this.#placeWaiting();
    if (!this.#needsDrain || this.#isAllFull) return;
    this.#needsDrain = false;
    this.#emit("drain", origin, targets);
  }

  /** Dispatches what waits and need not, the longest waiting first. */
  #placeWaiting(): void {
    if (this.#waiting.size === 0) return;
    let isRoomForAny = true;
    for (const carried of this.#waiting) {
      // What is permitted to one that was tried nowhere is permitted to all such.
      if (carried.tried.length === 0 && !isRoomForAny) continue;
      const member = this.#pick(carried);
      if (member !== undefined) {
        this.#waiting.delete(carried);
        this.#carryOrFail(carried, () => this.#carryTo(member, carried));
      } else if (carried.tried.length === 0) {
        isRoomForAny = false;
        if (!this.#waiting.hasTried) break;
      }
    }
    this.#awaitTrial();
  }

  /** Nothing else may happen before a trial is due, for which a request waits. */
  #awaitTrial(): void {
    clearTimeout(this.#trialTimer);
    const { nextTrialMs } = this.roster;
    if (this.#waiting.size === 0 || nextTrialMs === Number.POSITIVE_INFINITY) return;
    this.#trialTimer = setTimeout(() => this.#placeWaiting(), Math.max(1, Math.ceil(nextTrialMs)));
    this.#trialTimer.unref();
  }

  #upstream(origin: string): Upstream {
    return {
      origin,
      pool: this.#options.poolOf(origin),
      upgraded: new Set(),
      isCut: false,
      isFull: false,
      report: undefined,
      requests: 0,
      failures: 0,
    };
  }

  #listen(upstream: Upstream): void {
    const { pool } = upstream;
    const hasRoom = (origin: URL, targets: readonly Dispatcher[] = []) => {
      if (!upstream.isFull) return;
      upstream.isFull = false;
      if (this.roster.members.some(({ item }) => item === upstream)) this.#full--;
      this.#makeUse(origin, targets);
    };
    pool.on("drain", hasRoom);
    pool.on("connect", (origin, targets) => this.#emit("connect", origin, targets));
    pool.on("disconnect", (origin, targets, error) => this.#emit("disconnect", origin, targets, error));
    pool.on("connectionError", (origin, targets, error) => {
      this.#emit("connectionError", origin, targets, error);
      // A pool of undici 8 then has room, and no drain follows.
      hasRoom(origin, targets);
    });
  }

  #memberOf(origin: string): Member<Upstream> | undefined {
    return this.roster.members.find(({ item }) => item.origin === origin);
  }
}

/** Whether the request ended in this error by a fault of its upstream, or of the way there. */
function isFaultOfUpstream(carried: Carried, error: unknown): boolean {
  if (carried.isOfBody(error)) return false;
  if (carried.isAborted) return carried.isWanted && isTimeout(error);
  if (carried.isSent) return isUpstreamFault(error);
  return !isRefused() && isUnreachable(error);
}

export type Emit = (
  event: "drain" | "connect" | "disconnect" | "connectionError",
  origin: URL,
  targets: readonly Dispatcher[],
  error?: Error,
) => void;

function overUpstreams(picker: PickCompetitor | ByKey<string>): PickCompetitor | ByKey<Upstream> {
  return isByKey(picker) ? { ...picker, idOf: ({ origin }) => picker.idOf(origin) } : picker;
}

function readOrca(headerOf: HeaderOf): LoadReport | undefined {
  const header = headerOf(ORCA_HEADER);
  return header === undefined ? undefined : orcaReport(header);
}

/** There is nowhere to send a request. */
class NoUpstreamError extends Error {
  override readonly name = "NoUpstreamError";
  readonly code = "HOTPATH_NO_UPSTREAM";

  constructor() {
    super("no upstreams are left: add one");
  }
}
