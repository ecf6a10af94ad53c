import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { faultsBreakLaws } from "../shared/law-tests.ts";
import { mutatedModule } from "../shared/mutated.ts";
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

  const FAULTS = new URL("testdata/standing-faults.txt", import.meta.url);
  const { ejectionsFollowTheRule, shareIsKept } = laws;
  faultsBreakLaws(FAULTS, { ejectionsFollowTheRule, shareIsKept }, async ({ edits }) => {
    const url = import.meta.resolve("./parts/standing.ts");
    const { Standings: mutant } = await mutatedModule<{ Standings: typeof Standings }>(url, ...edits);
    return standingLaws(mutant);
  });

  it("at most two thirds are ejected by default, one of two, and none of one", () => {
    const most = [1, 2, 3, 4, 5, 6, 12, 300].map((count) => laws.mostEjected(count, 2 / 3));
    assert.deepEqual(most, [0, 1, 2, 2, 3, 4, 8, 200]);
  });
});
