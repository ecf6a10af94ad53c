import type { MachineStates, Mode } from "../engine/judge/machine-states.ts";
import { LAB_RUNTIME } from "../engine/measure/plan/plan.ts";
import type { GroupResult } from "../engine/measure/run/watched.ts";
import { Racing, roundedHandover, type SliceKeeper } from "../engine/racing.ts";
import type { GroupRecord, RoleRecord } from "../engine/schema/record.ts";
import { sum } from "../engine/statistics.ts";

/**
 * Racing whose record is kept: what is learnt of the machine's states holds for all of its groups, those that were raced before
 * it was interrupted included.
 */
export class LabRacing extends Racing {
  constructor(groups: GroupRecord[], raw: SliceKeeper | undefined, isFixed: boolean) {
    super(groups, raw, isFixed);
    for (const group of groups) recall(this.states, group);
  }

  /** Groups that have ended took the best state that they met for the machine's: by now a better one may be known. */
  override finish(result: GroupResult): GroupRecord {
    const finished = super.finish(result);
    for (const [index, group] of this.groups.entries()) this.groups[index] = sortedAnew(group, this.states);
    return finished;
  }
}

/** Takes over what a group was judged by. */
function recall(states: MachineStates, group: GroupRecord): void {
  const roles = group.cells.flatMap((cell) => Object.values(cell.roles).slice(0, 1));
  const slicesIn = (state: "quiet" | "far") => sum(roles.flatMap((role) => role[state]?.costNs.counts ?? []));
  const [quiet, far] = [slicesIn("quiet"), slicesIn("far")];
  for (const [runtime, ns] of referencesOf(group)) states.tags(runtime, group.workers).add(ns, quiet + far);
  states.handovers.add(group.handovers?.nearNs ?? 0, quiet);
  states.handovers.add(group.handovers?.farNs ?? 0, far);
}

function sortedAnew(group: GroupRecord, states: MachineStates): GroupRecord {
  const { workers, handovers } = group;
  const distances = states.distances();
  const isOfFullSpeed = referencesOf(group).every(
    ([runtime, ns]) => ns < states.fullSpeed(runtime, workers)!.toNs,
  );
  if (!isOfFullSpeed) return withoutStates(group);
  return handovers !== undefined && handovers.nearNs >= distances[0]!.toNs ? asFar(group, distances) : group;
}

/** By runtime, what a tag cost at the full speed that a group was judged by, in ns. */
function referencesOf({ referenceNs, runtimes }: GroupRecord): (readonly [string, number])[] {
  const known = runtimes?.map((own) => [own.name, own.referenceNs] as const) ?? [[LAB_RUNTIME, referenceNs]];
  return known.flatMap(([runtime, ns]) => (ns === undefined ? [] : [[runtime, ns] as const]));
}

/** A group that only has what all slices say: it was raced while the machine was never at full speed. */
export function withoutStates(group: GroupRecord): GroupRecord {
  return withRoles(group, ({ quiet: _, far: __, ...rest }) => rest);
}

/** A group whose cores were never near one another: what passed for near was far. */
function asFar(group: GroupRecord, [near, far]: readonly Mode[]): GroupRecord {
  const farNs = group.handovers!.nearNs;
  if (far === undefined || farNs < far.fromNs || farNs >= far.toNs) return withoutStates(group);
  const sorted = withRoles(group, ({ quiet, far: _, ...rest }) =>
    quiet === undefined ? rest : { ...rest, far: quiet },
  );
  return { ...sorted, handovers: { nearNs: roundedHandover(near!.ns), farNs } };
}

function withRoles(group: GroupRecord, changed: (role: RoleRecord) => RoleRecord): GroupRecord {
  const cells = group.cells.map((cell) => ({
    ...cell,
    roles: Object.fromEntries(Object.entries(cell.roles).map(([role, own]) => [role, changed(own)])),
  }));
  return { ...group, cells };
}
