import type { PickCompetitor } from "../../structures/pick/pick.contract.ts";

/** Why a picker is in no simulation. */
export function notSimulated({ unseeded, order }: PickCompetitor): string | undefined {
  if (order === "none") return "a floor picks nothing";
  return unseeded ? "it cannot be seeded" : undefined;
}

/** Why a picker is in no scenario whose backends answer nothing. */
export function unanswered({ probes }: PickCompetitor): string | undefined {
  return probes === undefined ? undefined : "no backend answers its probes here";
}
