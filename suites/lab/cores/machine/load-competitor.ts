import type { Traits } from "../../../../structures/shared/traits.ts";
import { importCompetitor } from "../../../engine/measure/load/load.ts";
import type { Task } from "./simulated.ts";

/** As in suites.ts, which imports far more than a thread needs. */
const LAB = new URL("../../lab.ts", import.meta.url).href;

/**
 * The competitor of a task; one in WebAssembly in a form whose accesses can be seen. A URL with `#scenario/name` is that
 * of a competitor which its race brings along (see define-race.ts): the lab knows no such.
 */
export async function loadCompetitor(
  { primitive, competitor: name, url }: Pick<Task, "primitive" | "competitor" | "url">,
  seed: number,
): Promise<Traits> {
  const competitor = (await importCompetitor(url, url.includes("#") ? undefined : LAB, seed)) as Traits;
  if (!competitor.needsLinear) return competitor;
  // What assembles WebAssembly takes longer to import than all else that a thread does.
  const { observedCompetitor } = await import("./observed.ts");
  return (await observedCompetitor(primitive, name)) as Traits;
}
