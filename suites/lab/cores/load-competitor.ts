import type { Traits } from "../../../structures/shared/traits.ts";
import { importCompetitor } from "../../engine/measure/load/load.ts";
import { LAB } from "../suites.ts";
import { observedCompetitor } from "./observed.ts";
import type { Task } from "./simulated.ts";

/**
 * The competitor of a task; one in WebAssembly in a form whose accesses can be seen. A URL with `#scenario/name` is that
 * of a competitor which its race brings along (see define-race.ts): the lab knows no such.
 */
export async function loadCompetitor(
  { primitive, competitor: name, url }: Pick<Task, "primitive" | "competitor" | "url">,
  seed: number,
): Promise<unknown> {
  const competitor = (await importCompetitor(url, url.includes("#") ? undefined : LAB, seed)) as Traits;
  return competitor.needsLinear ? observedCompetitor(primitive, name) : competitor;
}
