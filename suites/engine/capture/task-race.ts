import { noLaw } from "../define-race.ts";
import { type Runner, race } from "../suite.ts";
import type { LoadedTask } from "./lab.ts";
import type { Operation } from "./task.ts";

/** The race of any group of tasks. Its name is the `scenario` in the URL that it is imported by. */
const scenario = new URL(import.meta.url).searchParams.get("scenario") ?? "tasks";

export default race<LoadedTask, undefined, unknown>({
  scenario,
  title: scenario,
  operation: "op",
  baseline: "",
  headline: true,
  params: { full: undefined, smoke: undefined },
  placement: () => "objects",
  prepare: ({ workers }) => workers?.shared?.(),
  attach({ operation, task }, _setup, shared, worker) {
    return runnerOf(operation ?? (task!.open({ shared, worker }) as Operation));
  },
  law: ({ workers }, _setup, shared, work) => (workers?.law ?? noLaw)(shared, work),
});

/**
 * Where results go, so that no engine may leave the work out. It has held values of several kinds before it is used, and
 * therefore keeps any of them without converting it.
 */
const sink: { value: unknown } = { value: undefined };
for (const value of [1, 1.5, "", {}, undefined]) sink.value = value;

function runnerOf({ run }: Operation): Runner {
  return {
    run(operations) {
      for (let done = 0; done < operations; done++) sink.value = run();
      return 0;
    },
  };
}
