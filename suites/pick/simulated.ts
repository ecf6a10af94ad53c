import type { PickCompetitor } from "../../structures/pick/pick.contract.ts";

/**
 * As many as of a heartbeat's simulation. A seed decides an order, and a pattern, a change of members or a wrap meets
 * each order elsewhere. A figure from one seed alone says as much of the draw as of the picker.
 */
export const SEEDS = 20;

/** Why a picker is in no simulation. */
export function notSimulated({ unseeded, order }: PickCompetitor): string | undefined {
  if (order === "none") return "a floor picks nothing";
  return unseeded ? "it cannot be seeded" : undefined;
}

/** Why a picker is in no scenario whose backends answer nothing. */
export function unanswered({ probes }: PickCompetitor): string | undefined {
  return probes === undefined ? undefined : "no backend answers its probes here";
}
