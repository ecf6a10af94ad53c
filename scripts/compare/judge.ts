import { IN_BASE, type SeenRace } from "../../suites/engine/cli/commits/verdicts.ts";
import { figureOf } from "../../suites/engine/cli/report.ts";
import { judgeScenario } from "../../suites/engine/judge/judge.ts";
import { judgeContrast, ratiosOfGroups, type Strictness } from "../../suites/engine/judge/verdict.ts";
import { changeText } from "../../suites/engine/judge/versions.ts";
import type { GroupRecord } from "../../suites/engine/schema/record.ts";
import type { Conditions, Contrast, JudgedMeasured, JudgedRow } from "../../suites/engine/schema/verdict.ts";
import { present } from "../../suites/engine/words/present.ts";

/**
 * From a group to what is seen of a competitor at two commits. Pure. The table of a bench compares competitors with each other,
 * this one a competitor with itself. Figures and verdicts are made alike.
 */

/** All rows of a comparison have one place. */
export const FILE = "structures";

/** What a group of a pair shows, of each role: the rival against the baseline. */
export function seenInGroup(group: GroupRecord): SeenRace[] {
  const { rows, conditions } = judgeScenario([group]);
  const [{ looks, floors, forks }] = conditions as [Conditions];
  const ofKind = (wanted: JudgedRow["kind"], wantedRole: string | undefined) =>
    rows.find(({ kind, role }) => kind === wanted && role === wantedRole)!;
  return [...new Set(rows.map(({ role }) => role))].map((role): SeenRace => {
    const named = present({ role });
    const sides = sidesOf(ofKind("baseline", role), ofKind("rival", role));
    if ("verdict" in sides) return { ...named, ...sides };
    if (sides.head.toBaseline !== undefined)
      return { ...named, ...judged(sides, sides.head.toBaseline, { rows: 1, looks: Math.max(1, looks) }) };
    const reason =
      floors.length === 0
        ? "its A/A control, which sets the noise floor, has no number"
        : "no slice of one side counts beside one of the other";
    return { ...named, verdict: "no number", processes: forks, reason };
  });
}

interface Sides {
  readonly base: JudgedMeasured;
  readonly head: JudgedMeasured;
}

/** Two rows with a number; or what it means that one has none. */
function sidesOf(base: JudgedRow, head: JudgedRow): Sides | SeenRace {
  const processes = Math.min(base.forks, head.forks);
  if (head.noNumber !== undefined)
    return {
      verdict: base.noNumber === undefined ? "failed" : "no number",
      processes,
      reason: head.noNumber,
    };
  if (base.noNumber !== undefined) return { verdict: "no base", processes, reason: IN_BASE + base.noNumber };
  return { base, head };
}

function judged({ base, head }: Sides, contrast: Contrast, strictness: Strictness): SeenRace {
  const { ratio, sees, verdict } = judgeContrast(contrast, strictness);
  const { floor, forks } = contrast;
  const groups = ratiosOfGroups(contrast, strictness);
  return {
    verdict,
    ratio: figureOf(ratio),
    ...(groups === undefined
      ? {}
      : { groups: groups.map((own) => ({ ratio: figureOf(own.ratio), forks: own.forks })) }),
    baseNs: base.median,
    headNs: head.median,
    // A single process does not show how processes differ.
    ...(Number.isFinite(floor) ? { floor } : {}),
    ...(Number.isFinite(sees) ? { sees } : {}),
    processes: forks,
    ...present({ compiled: changeText(base.processes, head.processes) }),
  };
}
