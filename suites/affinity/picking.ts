import type { AffinityCompetitor } from "../../structures/affinity/affinity.contract.ts";
import { type Runner, race } from "../engine/race.ts";
import { membersNamed, USERS } from "./members.ts";

interface Params {
  readonly members: number;
}

/** One thread that picks for one user after the other. */
export function picking(members: number) {
  return race<AffinityCompetitor, Params, null>({
    scenario: `pick-${members}`,
    title: `picks by key among ${members.toLocaleString("en")} members`,
    operation: "pick",
    headline: false,
    alike: "pick",
    // What most balancers have.
    baseline: "ring",
    mostWorkers: 1,
    point: { curve: "pick", along: "members", at: members },
    params: { full: { members }, smoke: { members } },
    placement: () => "objects",
    prepare: () => null,
    attach: (competitor, { params }) => runnerOf(competitor, params),

    law(competitor, { params }, _shared, [work]) {
      const { operations, checksum } = work!;
      const right =
        competitor.bound === undefined
          ? sumOf(competitor, params, operations)
          : runnerOf(competitor, params).run(operations);
      return right === checksum
        ? undefined
        : `sameKeySameMember: the places of ${operations} picks add up to ${checksum}, not ${right}`;
    },
  });
}

/** Requests of the thread that are not released. */
const IN_FLIGHT = 64;

function runnerOf(competitor: AffinityCompetitor, { members }: Params): Runner {
  const affinity = competitor.create(membersNamed(members));
  const held = new Int32Array(IN_FLIGHT).fill(-1);
  let done = 0;
  const isBounded = competitor.bound !== undefined;
  return {
    run(operations) {
      let sum = 0;
      for (const end = done + operations; done < end; done++) {
        const place = affinity.pick(USERS[done % USERS.length]!);
        sum = (sum + place) | 0;
        if (!isBounded) continue;
        const earlier = held[done % IN_FLIGHT]!;
        if (earlier !== -1) affinity.release!(earlier);
        held[done % IN_FLIGHT] = place;
      }
      return sum;
    },
  };
}

/** As each user has one member, whole rounds are worth the same. */
function sumOf(competitor: AffinityCompetitor, { members }: Params, operations: number): number {
  const { pick } = competitor.create(membersNamed(members));
  const places = USERS.map((user) => pick(user));
  const sum = (of: readonly number[]) => of.reduce((total, place) => total + place, 0);
  const rounds = BigInt(Math.floor(operations / USERS.length)) * BigInt(sum(places));
  return Number(BigInt.asIntN(32, rounds + BigInt(sum(places.slice(0, operations % USERS.length)))));
}
