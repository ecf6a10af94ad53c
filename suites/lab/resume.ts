import { dirname } from "node:path";
import type { Command, OptionTable } from "../engine/cli/command-line.ts";
import type { RunFacts } from "../engine/schema/envelope.ts";
import type { RacedRuntime } from "../engine/schema/verdict.ts";
import { parseCommand, refuse, type Typed } from "./command/command.ts";
import { ROOT } from "./command/npm.ts";
import { orUsageError, UsageError } from "./command/usage.ts";
import type { Done } from "./kinds/pace.ts";
import type { LabPlan } from "./kinds/plan.ts";
import type { BenchRecord } from "./schema/record.ts";

/** What a command that goes on with a record knows of its options. */
interface ResumeOptions {
  readonly resume: string | undefined;
  readonly out: string | undefined;
  readonly publish: boolean;
  readonly json: boolean;
}

/**
 * What to carry out: what was typed, or with --resume what the run of that record was asked for. The whole record goes
 * beside the interrupted one unless that had a place. Throws a UsageError where more is typed beside --resume.
 */
export function resumed<const Options extends OptionTable, Made extends Pick<RunFacts, "argv">>(
  command: Command<Options>,
  typed: Typed<Options> & { readonly options: ResumeOptions },
  read: (path: string) => Made,
): Typed<Options> & { readonly previous?: Made } {
  const { resume, json }: ResumeOptions = typed.options;
  if (resume === undefined) return typed;
  const others = Object.keys(command.options).filter((name) => name !== "resume" && name !== "json");
  refuse(command, typed, others, "--resume asks for what its record was asked", typed.words);
  const previous = orUsageError(() => read(resume));
  const asked = parseCommand(command, argumentsOf(previous), ROOT) as typeof typed;
  const out = asked.options.publish ? undefined : (asked.options.out ?? dirname(resume));
  return { ...asked, options: { ...asked.options, json, out }, previous };
}

/** What a record's run was asked for. Throws a UsageError for one that does not say it. */
export function argumentsOf({ argv }: Pick<RunFacts, "argv">): readonly string[] {
  if (argv !== undefined) return argv;
  throw new UsageError("--resume: the record does not contain its request: start a new run");
}

/** What decides whether the rest of a run would be of one piece with its beginning. */
export type Circumstances = Pick<BenchRecord, "commit" | "machine" | "runtime" | "methodVersion">;

/**
 * Throws an Error with a one-line message unless a run can be resumed here and now. Halves from different code,
 * machines or runtimes are not one run.
 */
export function checkResumable(record: RunFacts, now: Circumstances): void {
  if (!record.interrupted) throw new Error("the record is whole: there is nothing left to run");
  const hash = record.commit?.hash;
  if (hash !== now.commit?.hash) {
    throw new Error(`the record was made at commit ${hash?.slice(0, 12) ?? "none"}: check that out first`);
  }
  const differs = (["machine", "runtime"] as const).find(
    (part) => JSON.stringify(record[part]) !== JSON.stringify(now[part]),
  );
  if (differs !== undefined || record.methodVersion !== now.methodVersion) {
    throw new Error(`the record was made with another ${differs ?? "method"}: start anew`);
  }
}

/** Throws an Error with a one-line message where a runtime of the record is by now another version. */
function checkSameRuntimes({ groups, surveys = [] }: BenchRecord, plan: LabPlan): void {
  const planned = [...plan.groups, ...plan.surveys].flatMap(({ runtimes = [] }) => runtimes);
  const named = (runtime: RacedRuntime) => `${runtime.version} (${runtime.engine})`;
  const now = new Map(planned.map((runtime) => [runtime.name, named(runtime)]));
  for (const runtime of [...groups, ...surveys].flatMap(({ runtimes = [] }) => runtimes)) {
    const found = now.get(runtime.name) ?? named(runtime);
    if (found !== named(runtime))
      throw new Error(`the record was made on ${named(runtime)}, and that is ${found} now: start anew`);
  }
}

/**
 * How much of the plan a record holds. Throws an Error with a one-line message where the two do not belong together:
 * halves from different code, machines or runtimes are not one run.
 */
export function doneIn(record: BenchRecord, plan: LabPlan, now: Circumstances): Done {
  checkResumable(record, now);
  checkSameRuntimes(record, plan);
  const sameGroups = record.groups.every(({ primitive, scenario, workers, cells }, index) => {
    const group = plan.groups[index];
    return (
      group?.primitive === primitive &&
      group.scenario === scenario &&
      group.workers === workers &&
      group.crews.map(({ name }) => name).join() === cells.map(({ competitor }) => competitor).join()
    );
  });
  const sameNames = (
    parts: readonly {
      readonly scenario: string;
      readonly cells: readonly { readonly competitor: string }[];
    }[],
    plans: readonly { readonly scenario: string; readonly entries: readonly { readonly name: string }[] }[],
  ) =>
    parts.every(
      ({ scenario, cells }, index) =>
        plans[index]?.scenario === scenario &&
        plans[index].entries.map(({ name }) => name).join() ===
          cells.map(({ competitor }) => competitor).join(),
    );
  const isSame =
    sameGroups &&
    sameNames(record.simulations, plan.simulations) &&
    sameNames(record.surveys ?? [], plan.surveys);
  if (!isSame) throw new Error("its competitors are no longer those of the lab: start anew");
  return {
    groups: record.groups.length,
    simulations: record.simulations.length,
    surveys: record.surveys?.length ?? 0,
  };
}
