import { type ByKey, isByKey } from "../../affinity/parts/by-key.ts";
import type { Key } from "../../keyed/keyed.contract.ts";
import { assertUsable } from "../../shared/instance.ts";
import { Random } from "../../shared/sfc32.ts";
import { assertUint32, derivedSeed, randomSeed } from "../../shared/worker-identity.ts";
import { PICKER, type PickCompetitor, type Picker, type Probes } from "../pick.contract.ts";
import { attachPicker, makePicker } from "../pick.instance.ts";
import { mayStart, SlowStart, type SlowStartOptions, spend } from "./slow-start.ts";
import { type EjectOptions, Standing, Standings } from "./standing.ts";

export interface RosterOptions {
  /** When an item is ejected whose requests fail, and for how long; false where none is. */
  readonly eject: EjectOptions | false;
  /** How long one that is new or back gets less than its share; not at all if absent. */
  readonly slowStart?: number | SlowStartOptions | undefined;
  /** uint32; random if absent. */
  readonly seed?: number | undefined;
}

/** An item among those that are picked, from its addition until it is drained and at rest. */
export interface Member<Item> {
  readonly item: Item;
  /** Absent where none was given. */
  readonly weight: number | undefined;
  /** Its number in the picker; GONE from the call of drain on. */
  at: number;
  /** Requests picked and not released. */
  inFlight: number;
  readonly standing: Standing;
  /** Resolves when a drained one has no request in flight; undefined before. */
  drained: Promise<void> | undefined;
  emptied(): void;
}

const GONE = -1;

/**
 * The items that a picker picks among, for one thread, by any picker of the lab. Pickers number their backends, and all
 * but one fix how many there are. So every change of members makes a new picker, in private memory, and tells it the
 * requests in flight, by `take`, and what is known of latencies. A pick finds its member by an index.
 *
 * A pick is the picker's own. Only where that is of a member that is ejected, avoided, or coming back slowly and at its
 * limit, the picker picks again; what it picked before counts as released.
 *
 * Where items are picked by key, the place of a pick is the key's, and picking again is going on to the next in its order.
 *
 * A member that was added to others, or that was ejected, **comes back slowly**: one request may be in flight there, and one
 * more with each that is served, until that is more than any other has. With `slowStart` it also gets no more than a
 * share that grows with time: see SlowStart. It gets more only where all others are ejected or avoided. Source: TCP's slow start (RFC 5681), which goes by acknowledgements. Envoy's slow_start_window goes
 * by time, and so warms a slow server no slower.
 */
export class Roster<Item> {
  members: readonly Member<Item>[] = [];
  /** Drained, with requests in flight. */
  readonly leaving = new Set<Member<Item>>();
  readonly #competitor: PickCompetitor | ByKey<Item>;
  /** Absent where none is ejected. */
  readonly #standings: Standings | undefined;
  readonly #slowStart: SlowStart | undefined;
  readonly #seed: number;
  readonly #random: Random;
  #changes = 0;
  /** The picker of these members; undefined where there are none. */
  #picker: PickerOfKeys | undefined;

  /**
   * Throws as makePicker does, a TypeError for a picker that ejects on its own, because what it knows could not be
   * carried over to the next, and in one line for wrong options.
   */
  constructor(
    competitor: PickCompetitor | ByKey<Item>,
    items: readonly Item[],
    weights: readonly number[] | undefined,
    { eject, slowStart, seed = randomSeed() }: RosterOptions,
  ) {
    assertCarriedOver(competitor);
    this.#slowStart = slowStart === undefined ? undefined : new SlowStart(slowStart);
    this.#standings =
      eject === false ? undefined : new Standings(eject, (standing) => this.#startSlowly(standing));
    assertUint32("seed", seed);
    if (weights !== undefined && weights.length !== items.length)
      throw new RangeError(
        `there are ${weights.length} weights for ${items.length} items: give one for each`,
      );
    this.#competitor = competitor;
    this.#seed = seed;
    this.#random = new Random(seed);
    this.#seat(items.map((item, index) => joining(item, weights?.[index])));
    this.#standings?.resize(items.length);
  }

  /** Throws as makePicker does for a weight that is invalid or that the picker does not heed. Nothing has changed then. */
  add(item: Item, weight?: number): Member<Item> {
    const member = joining(item, weight);
    if (this.members.length > 0) member.standing.allowance = 1;
    this.#seat([...this.members, member]);
    if (this.members.length > 1) this.#startSlowly(member.standing);
    this.#standings?.resize(this.members.length);
    return member;
  }

  /** Picks nothing of this member from now on. Resolves when it has no request in flight. */
  drain(member: Member<Item>): Promise<void> {
    this.#seat(this.members.filter((other) => other !== member));
    this.#standings?.resize(this.members.length, member.standing);
    member.at = GONE;
    member.drained = Promise.resolve();
    if (member.inFlight > 0) {
      this.leaving.add(member);
      member.drained = new Promise((resolve) => {
        member.emptied = resolve;
      });
    }
    return member.drained;
  }

  /**
   * The member for the next request, which counts as in flight there. Undefined if there is none, or none but such as
   * the caller avoids or are ejected. With `evenEjected` one that is ejected will do, if there is no other. The caller
   * keeps the `round` of the member's standing for `release`, and `nowMs`. Throws a TypeError without a `key` where items are
   * picked by key.
   */
  pick(avoid?: (member: Member<Item>) => boolean, evenEjected = false, key?: Key): Member<Item> | undefined {
    if (this.#picker === undefined) return undefined;
    this.#slowStart?.earn(this.members);
    let member: Member<Item> | undefined = this.members[this.#picker.pick(key)]!;
    if (isHeldBack(member.standing) || avoid?.(member))
      member = this.#instead(this.#picker, member, avoid, evenEjected, key);
    if (member === undefined) return undefined;
    member.inFlight++;
    spend(member.standing);
    return member;
  }

  /** The time of the clock of ejections, if the picker goes by how long requests take; otherwise 0, without a look at it. */
  get nowMs(): number {
    if (this.#picker?.latencies === undefined) return 0;
    return this.#standings?.nowMs() ?? performance.now();
  }

  /**
   * A request has ended that was picked in this round, at `pickedMs`. `failed` is undefined where that says nothing about
   * the member. Once for each pick.
   */
  release(member: Member<Item>, failed: boolean | undefined, round: number, pickedMs: number): void {
    member.inFlight--;
    if (member.at !== GONE) {
      // Also of one that failed: it took that long at least.
      if (failed !== undefined) this.#picker!.latencies?.report(member.at, this.nowMs - pickedMs);
      this.#picker!.release?.(member.at);
      this.#standings?.hear(member.standing, failed, round);
      if (failed === false) this.#warm(member);
    } else if (member.inFlight === 0) {
      this.leaving.delete(member);
      member.emptied();
    }
  }

  /** In how many ms an ejected member is due for a trial: 0 or less where one is, Infinity where none is ejected. */
  get nextTrialMs(): number {
    return this.#standings === undefined
      ? Number.POSITIVE_INFINITY
      : this.#standings.nextMs - this.#standings.nowMs();
  }

  /** What the last pick would like to know, by number of a member. */
  get probes(): Probes | undefined {
    return this.#picker?.probes;
  }

  /** Another than the member that was picked first, which is not to be had as it stands. */
  #instead(
    picker: PickerOfKeys,
    first: Member<Item>,
    avoid: ((member: Member<Item>) => boolean) | undefined,
    evenEjected: boolean,
    key: Key | undefined,
  ): Member<Item> | undefined {
    const nowMs = this.#standings?.nowMs() ?? 0;
    const worst = evenEjected ? EJECTED : AT_LIMIT;
    const costs = this.members.map((member) => (avoid?.(member) ? AVOIDED : costOf(member, nowMs)));
    const least = Math.min(...costs);
    const chosen =
      least > worst ? undefined : this.#repicked(picker, first, (at) => costs[at] === least, key);
    if (chosen === undefined) picker.release?.(first.at);
    else if (chosen.standing.isEjected && nowMs >= chosen.standing.untilMs)
      this.#standings!.try(chosen.standing);
    return chosen;
  }

  /** One that will do, by the order of the picker as long as that is of use, else the less loaded of two at random. */
  #repicked(
    picker: PickerOfKeys,
    first: Member<Item>,
    willDo: (at: number) => boolean,
    key: Key | undefined,
  ): Member<Item> {
    const { members } = this;
    if (key !== undefined) {
      picker.release?.(first.at);
      return members[picker.pick(key, (at) => !willDo(at))]!;
    }
    // A picker by load finds those idle that will not do, and picks little else.
    const repicks = picker.take === undefined ? PICKS_PER_MEMBER * members.length : PICKS_BY_LOAD;
    let { at } = first;
    for (let repick = 0; repick < repicks && !willDo(at); repick++) {
      picker.release?.(at);
      at = picker.pick();
    }
    if (willDo(at)) return members[at]!;
    picker.release?.(at);
    const willing = members.filter((member) => willDo(member.at));
    const one = this.#random.below(willing.length);
    const other = (one + 1 + this.#random.below(Math.max(1, willing.length - 1))) % willing.length;
    const chosen = willing[willing[other]!.inFlight < willing[one]!.inFlight ? other : one]!;
    picker.take?.(chosen.at);
    return chosen;
  }

  #startSlowly(standing: Standing): void {
    this.#slowStart?.begin(standing, this.#random.fraction());
  }

  /** One more was served by a member: one that comes back slowly may have one more in flight. */
  #warm({ at, standing }: Member<Item>): void {
    if (standing.allowance === Number.POSITIVE_INFINITY) return;
    standing.allowance++;
    if (this.members.every((other) => other.at === at || other.inFlight < standing.allowance))
      standing.allowance = Number.POSITIVE_INFINITY;
  }

  /** Makes these the members. Where it throws, nothing has changed. */
  #seat(members: readonly Member<Item>[]): void {
    const picker = members.length === 0 ? undefined : this.#pickerFor(members);
    for (const [at, member] of members.entries()) {
      if (member.at !== GONE) picker!.latencies?.report(at, this.#picker!.latencies!.estimate(member.at));
      for (let request = 0; request < member.inFlight; request++) picker!.take?.(at);
      member.at = at;
    }
    this.members = members;
    this.#picker = picker;
  }

  #pickerFor(members: readonly Member<Item>[]): PickerOfKeys {
    const competitor = this.#competitor;
    if (isByKey(competitor)) return pickerByKey(competitor, members);
    const isWeighted = members.some(({ weight }) => weight !== undefined);
    const instance = makePicker(competitor, {
      backends: members.length,
      workers: 1,
      seed: derivedSeed(this.#seed, this.#changes++),
      ...(isWeighted ? { weights: members.map(({ weight = 1 }) => weight) } : {}),
    });
    return attachPicker(competitor, instance, 0);
  }
}

/** A picker, or one that also asks for a key and for what to avoid. */
interface PickerOfKeys extends Omit<Picker, "pick"> {
  pick(key?: Key, avoid?: (at: number) => boolean): number;
}

function pickerByKey<Item>({ affinity, idOf }: ByKey<Item>, members: readonly Member<Item>[]): PickerOfKeys {
  const made = affinity.create(members.map(({ item, weight }) => ({ id: idOf(item), weight })));
  return made as PickerOfKeys;
}

/** Throws a TypeError for what is no picker, and for one whose knowledge a change of members would lose. */
function assertCarriedOver(competitor: PickCompetitor | ByKey<never>): void {
  if (isByKey(competitor)) return;
  assertUsable(competitor, PICKER);
  if (competitor.ejects !== undefined)
    throw new TypeError(
      `"${competitor.summary}" ejects on its own: give the picker without that, and eject: { failures, forMs }`,
    );
}

/** What speaks against a member, from the least: it is welcome, comes back slowly and is at its limit, ... */
const AT_LIMIT = 1;
const EJECTED = 2;
const AVOIDED = 3;

function costOf({ standing, inFlight }: Member<unknown>, nowMs: number): number {
  if (standing.isEjected) return nowMs >= standing.untilMs ? 0 : EJECTED;
  return inFlight < standing.allowance && mayStart(standing) ? 0 : AT_LIMIT;
}

function isHeldBack({ isEjected, allowance, ramp }: Standing): boolean {
  return isEjected || allowance < Number.POSITIVE_INFINITY || ramp !== undefined;
}

/** Of a picker by load, picks before another is drawn. */
const PICKS_BY_LOAD = 8;
/**
 * Picks of any other, for each member. Of independent draws among equals, one that will do is missed by all of them
 * once in e^16 times.
 */
const PICKS_PER_MEMBER = 16;

function joining<Item>(item: Item, weight: number | undefined): Member<Item> {
  const standing = new Standing();
  return { item, weight, at: GONE, inFlight: 0, standing, drained: undefined, emptied() {} };
}
