import { assertUsable } from "../../shared/instance.ts";
import { allocateRegion, type Region } from "../../shared/layout.ts";
import { Random } from "../../shared/sfc32.ts";
import { derivedSeed, randomSeed } from "../../shared/worker-identity.ts";
import type { PickCompetitor, Picker, Probes } from "../pick.contract.ts";
import { attachPicker, makePicker } from "../pick.instance.ts";
import { type EjectionOptions, Ejections, ejectingPicker, ejectionRule } from "./ejecting.ts";

export interface RosterOptions {
  /** When an item is ejected whose requests fail, and for how long; false where none is. */
  readonly eject: EjectionOptions | false;
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
  /** Resolves when a drained one has no request in flight; undefined before. */
  drained: Promise<void> | undefined;
  emptied(): void;
}

const GONE = -1;

/**
 * The items that a picker picks among, for one thread, by any picker of the lab. Pickers number their backends, and all
 * but one fix how many there are. So every change of members makes a new picker, in private memory, and tells it what
 * the old one knew: the requests in flight, by `take`, and who is ejected. A pick finds its member by an index.
 */
export class Roster<Item> {
  members: readonly Member<Item>[] = [];
  /** Drained, with requests in flight. */
  readonly leaving = new Set<Member<Item>>();
  readonly #competitor: PickCompetitor;
  readonly #eject: EjectionOptions | false;
  readonly #seed: number;
  readonly #random: Random;
  #changes = 0;
  #seated: Seated | undefined;

  /**
   * Throws as makePicker does, and a TypeError for a picker that ejects on its own: what it knows could not be
   * carried over to the next.
   */
  constructor(
    competitor: PickCompetitor,
    items: readonly Item[],
    weights: readonly number[] | undefined,
    { eject, seed = randomSeed() }: RosterOptions,
  ) {
    assertUsable(competitor);
    if (competitor.ejects !== undefined)
      throw new TypeError(
        `"${competitor.summary}" ejects on its own: give the picker without that, and eject: { failures, forMs }`,
      );
    if (eject !== false) ejectionRule(eject);
    if (weights !== undefined && weights.length !== items.length)
      throw new RangeError(
        `there are ${weights.length} weights for ${items.length} items: give one for each`,
      );
    this.#competitor = competitor;
    this.#eject = eject;
    this.#seed = seed;
    this.#random = new Random(seed);
    this.#seat(items.map((item, index) => joining(item, weights?.[index])));
  }

  /** Throws as makePicker does for a weight that is invalid or that the picker does not heed. Nothing has changed then. */
  add(item: Item, weight?: number): Member<Item> {
    const member = joining(item, weight);
    this.#seat([...this.members, member]);
    return member;
  }

  /** Picks nothing of this member from now on. Resolves when it has no request in flight. */
  drain(member: Member<Item>): Promise<void> {
    this.#seat(this.members.filter((other) => other !== member));
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
   * the caller avoids or are ejected. With `evenEjected` one that is ejected will do, if there is no other.
   */
  pick(avoid?: (member: Member<Item>) => boolean, evenEjected = false): Member<Item> | undefined {
    if (this.#seated === undefined) return undefined;
    let member = this.members[this.#seated.picker.pick()]!;
    if (avoid?.(member)) {
      this.#seated.bare.release?.(member.at);
      const instead = this.#besides(this.#seated, avoid, evenEjected);
      if (instead === undefined) return undefined;
      member = instead;
    }
    member.inFlight++;
    return member;
  }

  /** A request has ended. `failed` is undefined where that says nothing about the member. Once for each pick. */
  release(member: Member<Item>, failed: boolean | undefined): void {
    if (member.at !== GONE) {
      const { picker, bare } = this.#seated!;
      if (failed === undefined) bare.release?.(member.at);
      else picker.release?.(member.at, failed);
    }
    member.inFlight--;
    if (member.at !== GONE || member.inFlight > 0) return;
    this.leaving.delete(member);
    member.emptied();
  }

  isEjected({ at }: Member<Item>): boolean {
    return at !== GONE && this.#seated!.records[at]! < 0;
  }

  /** What the last pick would like to know, by number of a member. */
  get probes(): Probes | undefined {
    return this.#seated?.bare.probes;
  }

  /** By the order of the picker as long as that is of use, else the next of all from a random one on. */
  #besides(
    { bare, records, ejections }: Seated,
    avoid: (member: Member<Item>) => boolean,
    evenEjected: boolean,
  ): Member<Item> | undefined {
    const { members } = this;
    for (let repick = 0; repick < PICKS_BEFORE_SEARCH; repick++) {
      const at = bare.pick();
      if (records[at]! >= 0 && !avoid(members[at]!)) return members[at];
      bare.release?.(at);
    }
    const first = this.#random.below(members.length);
    const inTurn = members.map((_, step) => members[(first + step) % members.length]!);
    const others = inTurn.filter((member) => !avoid(member));
    const nowMs = ejections?.readMs() ?? 0;
    const open = others.find(({ at }) => ejections === undefined || ejections.admits(at, nowMs));
    const chosen = open ?? (evenEjected ? others[0] : undefined);
    if (chosen !== undefined) bare.take?.(chosen.at);
    return chosen;
  }

  /** Makes these the members. Where it throws, nothing has changed. */
  #seat(members: readonly Member<Item>[]): void {
    const before = this.#seated;
    const seated = members.length === 0 ? undefined : this.#seating(members);
    for (const [at, member] of members.entries()) {
      if (member.at !== GONE) seated!.records[at] = before!.records[member.at]!;
      for (let request = 0; request < member.inFlight; request++) seated!.bare.take?.(at);
      member.at = at;
    }
    this.members = members;
    this.#seated = seated;
  }

  #seating(members: readonly Member<Item>[]): Seated {
    const isWeighted = members.some(({ weight }) => weight !== undefined);
    const seed = derivedSeed(this.#seed, this.#changes++);
    const instance = makePicker(this.#competitor, {
      backends: members.length,
      workers: 1,
      seed,
      ...(isWeighted ? { weights: members.map(({ weight = 1 }) => weight) } : {}),
    });
    const bare: Picker = attachPicker(this.#competitor, instance, 0);
    const records = allocateRegion(members.length);
    if (this.#eject === false) return { picker: bare, bare, records, ejections: undefined };
    const { nowMs = () => performance.now() } = this.#eject;
    const ejections = new Ejections(records, ejectionRule(this.#eject), nowMs);
    return { picker: ejectingPicker(bare, ejections, records, this.#random), bare, records, ejections };
  }
}

/** Picks of the bare picker before all members are looked at in turn. */
const PICKS_BEFORE_SEARCH = 8;

/** The picker of one set of members. */
interface Seated {
  /** With ejection, where that is wanted. */
  readonly picker: Picker;
  readonly bare: Picker;
  /** By member, as in ejecting.ts: negative where it is ejected. */
  readonly records: Region;
  readonly ejections: Ejections | undefined;
}

function joining<Item>(item: Item, weight: number | undefined): Member<Item> {
  return { item, weight, at: GONE, inFlight: 0, drained: undefined, emptied() {} };
}
