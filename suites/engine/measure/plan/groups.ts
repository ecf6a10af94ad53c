import type { Entry, Placement, Race } from "../../race.ts";
import { AA_CONTROLS, crewsOf, rivalsPerGroup, shares } from "./crews.ts";
import { type Described, describedIn } from "./described.ts";
import type { CrewPlan, GroupPlan, Profile } from "./plan.ts";
import { ROUNDS_PER_ACCOUNT } from "./rounds.ts";
import { roundsOf, timing } from "./timing.ts";

/** The chosen cells of one scenario at one worker count. */
export interface Section {
  /** Undefined for a simulation or a survey. */
  readonly workers: number | undefined;
  /** Competitors that take part. */
  readonly entries: readonly Entry[];
  readonly common: Pick<GroupPlan, "primitive" | "scenario" | "moduleUrl" | "absent">;
}

/** What groups are planned by. */
export interface GroupRequest {
  readonly profile: Profile;
  readonly size: "full" | "smoke";
  /** Competitors by primitive. */
  readonly competitors: ReadonlyMap<string, readonly Entry[]>;
  /** What is known of competitors, by their URL; one that is not in here takes part everywhere. */
  readonly described: ReadonlyMap<string, Described>;
  readonly cores: number;
}

/**
 * The groups of one table. Where sets are large, competitors that hold objects race apart from competitors that can be
 * moved.
 */
export function groupsOf(
  section: Section,
  race: Race<unknown, unknown, unknown>,
  tables: number,
  request: GroupRequest,
): GroupPlan[] {
  const { primitive } = section.common;
  const baseline = request.competitors.get(primitive)?.find(({ name }) => name === race.baseline);
  if (baseline === undefined)
    throw new Error(`suite ${primitive}: no competitor is named like the baseline "${race.baseline}"`);
  const isLarge = race.isLarge?.(race.params[request.size]) ?? false;
  // Where everything fits the caches, a few objects beside the words do no harm.
  const isMovable = ({ url }: Entry) => !isLarge || describedIn(race, url, request).placement !== "objects";
  const rivals = section.entries.filter(({ name }) => name !== baseline.name);
  const rows = (rivals.length + AA_CONTROLS) * tables;
  const dealt = (members: readonly Entry[], placement: GroupPlan["placement"]) =>
    shares(members, rivalsPerGroup(section.workers!, request, placement)).map((share) =>
      groupOf(section, race, { baseline, rivals: share, placement, isLarge, rows }, request),
    );
  // Where the baseline cannot be moved, all others are compared with it where it lies.
  if (!isMovable(baseline)) return dealt(rivals, "own");
  const [moved, unmoved] = [rivals.filter(isMovable), rivals.filter((entry) => !isMovable(entry))];
  return [
    ...(moved.length > 0 || unmoved.length === 0 ? dealt(moved, "arena") : []),
    ...(unmoved.length > 0 ? dealt(unmoved, "own") : []),
  ];
}

interface Members {
  readonly baseline: Entry;
  readonly rivals: readonly Entry[];
  readonly placement: GroupPlan["placement"];
  readonly isLarge: boolean;
  /** Of all tables of the scenario. */
  readonly rows: number;
}

function groupOf(
  { workers: count, common }: Section,
  race: Race<unknown, unknown, unknown>,
  { baseline, rivals, placement, isLarge, rows }: Members,
  request: GroupRequest,
): GroupPlan {
  const { profile, size, cores } = request;
  const workers = count!;
  const placementOf = ({ url }: Entry): Placement => describedIn(race, url, request).placement;
  const crews = crewsOf(baseline, rivals, workers, (entry) =>
    placement === "arena" && placementOf(entry) === "arena" ? "arena" : "own",
  );
  const bytes = bytesOf(crews, race, request);
  // What is long at full size is not at smoke size.
  const leastSliceUs = size === "full" ? 1000 * (race.sliceMs ?? 0) : 0;
  return {
    ...common,
    workers,
    ...timing(profile, { isLarge, placement, leastSliceUs }, workers, cores, crews, bytes),
    accountEvery: ROUNDS_PER_ACCOUNT,
    precision: profile.precision,
    rows,
    placement,
    crews,
    bytes,
    race,
  };
}

/** A group with other crews than it was planned with: of one competitor beside itself, say. */
export function withCrews(
  group: GroupPlan,
  crews: readonly CrewPlan[],
  request: Pick<GroupRequest, "profile" | "described" | "size">,
): GroupPlan {
  const { race } = group;
  const bytes = bytesOf(crews, race, request);
  const isLarge = race.isLarge?.(race.params[request.size]) ?? false;
  return {
    ...group,
    crews,
    bytes,
    ...roundsOf({ ...group, crews, bytes }, isLarge, request.profile.exactly),
  };
}

/** Most memory that these crews hold together. */
function bytesOf(
  crews: readonly CrewPlan[],
  race: Race<unknown, unknown, unknown>,
  request: Pick<GroupRequest, "described" | "size">,
): number {
  const held = crews.map(({ url, workers }) =>
    url === undefined ? 0 : workers * describedIn(race, url, request).bytesPerWorker,
  );
  return held.reduce((sum, bytes) => sum + bytes, 0);
}
