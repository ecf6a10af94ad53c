import type { GroupRecord } from "../schema/record.ts";
import type { Absent } from "../schema/verdict.ts";

/** The competitors that a scenario has no cells of, by the reason why. */
export function absentOf(parts: readonly Pick<GroupRecord, "absent">[]): Absent {
  const absences = parts.flatMap(({ absent = [] }) => absent);
  return [...Map.groupBy(absences, ({ reason }) => reason)].map(([reason, same]) => ({
    reason,
    competitors: [...new Set(same.map(({ competitor }) => competitor))],
  }));
}
