import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { assertBroken } from "../shared/broken.ts";
import { type Edit, mutatedModuleIn } from "../shared/mutated.ts";
import { Standing, Standings } from "./parts/standing.ts";
import * as laws from "./pick.standing.laws.ts";

const MEMBERS = 6;
const HISTORIES = 400;
const STEPS = 80;
const SEED = 20_261_128;
const SHARES = [1 / 3, 0.5, 2 / 3, 1];
const RULE = { failures: 2, forMs: 10, mostForMs: 25 };

type Step = readonly [what: number, of: number, outcome: number];

/** The sentences of the laws on who is ejected that random histories break; a fixed seed draws the histories. */
function standingLaws(make: typeof Standings): (string | undefined)[] {
  const steps = fc.array(fc.tuple(fc.nat(9), fc.nat(99), fc.nat(4)), { minLength: STEPS, maxLength: STEPS });
  return fc.sample(steps, { seed: SEED, numRuns: HISTORIES }).flatMap((history, index) => {
    const rule = { ...RULE, mostShare: SHARES[index % SHARES.length]! };
    const events = play(make, rule, history);
    return [laws.ejectionsFollowTheRule(events, rule), laws.shareIsKept(events, rule)];
  });
}

/** Requests go to any member that is there, ejected or not, as where all others are full. */
function play(make: typeof Standings, rule: laws.Rule, steps: readonly Step[]): laws.StandingEvent[] {
  let nowMs = 0;
  const standings = new make({ ...rule, nowMs: () => nowMs });
  const events: laws.StandingEvent[] = [];
  const members = new Map<number, Standing>();
  const inFlight: { request: number; standing: Standing; round: number; member: number }[] = [];
  let requests = 0;
  const add = (member: number) => {
    members.set(member, new Standing());
    standings.resize(members.size);
    events.push({ what: "added", member });
  };
  const drain = (member: number) => {
    const standing = members.get(member)!;
    members.delete(member);
    standings.resize(members.size, standing);
    events.push({ what: "drain", member });
  };
  const pick = (member: number) => {
    const standing = members.get(member)!;
    if (standing.isEjected && standing.untilMs <= nowMs) standings.try(standing);
    inFlight.push({ request: requests, standing, round: standing.round, member });
    events.push({ what: "picked", request: requests++, member });
  };
  const release = (at: number, failed: boolean | undefined) => {
    const [{ request, standing, round, member }] = inFlight.splice(at, 1) as [(typeof inFlight)[number]];
    if (members.get(member) === standing) standings.hear(standing, failed, round);
    events.push({ what: "released", request, failed });
  };

  for (const [what, of, outcome] of steps) {
    const member = of % MEMBERS;
    if (what === 0) members.has(member) ? drain(member) : add(member);
    else if (what === 1) {
      nowMs += of / 4;
      events.push({ what: "passed", ms: of / 4 });
    } else if (what < 6 && members.has(member)) pick(member);
    else if (what < 6) add(member);
    else if (inFlight.length > 0)
      release(of % inFlight.length, [true, true, true, false, undefined][outcome]);
    const ejected = [...members].filter(([, { isEjected }]) => isEjected).map(([number]) => number);
    events.push({ what: "ejected", members: ejected.sort((a, b) => a - b), nextMs: standings.nextMs });
  }
  return events;
}

describe("pick: who is ejected, and for how long", () => {
  it("is as the oracle says, in random histories", () => {
    assert.deepEqual(
      standingLaws(Standings).filter((sentence) => sentence !== undefined),
      [],
    );
  });

  const FAULTS: Readonly<Record<string, readonly [law: keyof typeof laws, edit: Edit]>> = {
    "outcomes of what was picked before the ejection": [
      "ejectionsFollowTheRule",
      ["    if (round !== standing.round) return;", ""],
    ],
    "served requests that do not end an ejection": [
      "ejectionsFollowTheRule",
      [
        "else if (standing.isEjected) this.#restore(standing);",
        "else if (standing.isOnTrial) this.#restore(standing);",
      ],
    ],
    "an aborted trial that costs another ejection": [
      "ejectionsFollowTheRule",
      ["if (standing.isOnTrial) standing.untilMs = this.nowMs();", ""],
    ],
    "ejections that do not grow": [
      "ejectionsFollowTheRule",
      ["Math.min(2 * standing.lastedMs, mostForMs)", "forMs"],
    ],
    "ejections that grow without end": [
      "ejectionsFollowTheRule",
      ["Math.min(2 * standing.lastedMs, mostForMs)", "2 * standing.lastedMs"],
    ],
    "an ejection that grows long after the last": [
      "ejectionsFollowTheRule",
      ["nowMs - standing.backMs < standing.lastedMs", "nowMs > standing.backMs"],
    ],
    "one that made room and has its failures forgiven": [
      "ejectionsFollowTheRule",
      ["longest.ahead = this.#rule.failures - 1;", "longest.ahead = 0;"],
    ],
    "one that made room and counts as ejected before": [
      "ejectionsFollowTheRule",
      ["      longest.backMs = Number.NEGATIVE_INFINITY;", "      longest.backMs = this.nowMs();"],
    ],
    "more that are ejected than the share": [
      "shareIsKept",
      ["      if (this.#ejected.size <= most) return;", "      return;"],
    ],
  };
  for (const [what, [law, edit]] of Object.entries(FAULTS))
    it(`${what} break ${law}`, async () => {
      const url = import.meta.resolve("./parts/standing.ts");
      const { Standings: mutant } = await mutatedModuleIn<{ Standings: typeof Standings }>(
        "pick/parts/standing.ts",
        url,
        edit,
      );
      assertBroken(
        law,
        standingLaws(mutant).filter((sentence) => sentence !== undefined),
      );
    });

  it("at most two thirds are ejected by default, one of two, and none of one", () => {
    const most = [1, 2, 3, 4, 5, 6, 12, 300].map((count) => laws.mostEjected(count, 2 / 3));
    assert.deepEqual(most, [0, 1, 2, 2, 3, 4, 8, 200]);
  });
});
