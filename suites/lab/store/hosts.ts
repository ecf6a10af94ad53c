import type { MachineRecord } from "../../engine/schema/envelope.ts";
import type { JudgedScenario } from "../../engine/schema/verdict.ts";
import { methodOf, type Newest } from "../pages/newest.ts";
import type { Host } from "../verdicts/hosts.ts";
import type { PublishedRepeat } from "./repeats.ts";

/** Kinds of hosts and their runs: what each has published, and the whole runs that were repeated on it. */

interface Run {
  readonly machine: Pick<MachineRecord, "slug" | "cpu">;
  readonly races: readonly JudgedScenario[];
}

/**
 * The hosts, the one of all pages first; none where nothing is published. Ratios of different methods do not compare, so of the
 * others only races count that used the method of the first.
 */
export function publishedHosts(
  byMachine: readonly ReadonlyMap<string, Newest>[],
  repeats: readonly Pick<PublishedRepeat, "record" | "races">[],
): Host[] {
  const home = byMachine[0] ?? new Map<string, Newest>();
  const isOfMethod = ({ primitive, scenario }: JudgedScenario, method: number) => {
    const own = home.get(primitive);
    return (
      own?.verdicts.races.some((race) => race.scenario === scenario) && methodOf(own, scenario) === method
    );
  };
  const published = byMachine.flatMap((newest): Run[] => {
    const all = [...newest.values()];
    const races = all.flatMap((own) =>
      own.verdicts.races.filter((race) => isOfMethod(race, methodOf(own, race.scenario))),
    );
    return all.length === 0 ? [] : [{ machine: all[0]!.sources[0]!.record.machine, races }];
  });
  const repeated = repeats.map(({ record: { machine, methodVersion }, races }): Run => {
    return { machine, races: races.filter((race) => isOfMethod(race, methodVersion)) };
  });
  return hostsOf([...published, ...repeated]);
}

/** Hosts are told apart by their slugs, and called by their processors where these differ. */
function hostsOf(runs: readonly Run[]): Host[] {
  const bySlug = [...Map.groupBy(runs, ({ machine }) => machine.slug)];
  const processors = bySlug.map(([, [first]]) => processorOf(first!.machine));
  return bySlug.map(([slug, own], place) => {
    const processor = processors[place]!;
    const isAlone = processors.filter((other) => other === processor).length === 1;
    return { name: isAlone ? processor : slug, runs: own.map(({ races }) => races) };
  });
}

/** Without what makers add: "Intel Xeon" of "Intel(R) Xeon(R) Processor". */
function processorOf({ cpu }: Run["machine"]): string {
  return cpu
    .replaceAll(/\((?:R|TM)\)|\b(?:CPU|Processor)\b/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}
