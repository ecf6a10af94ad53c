import { noLaw } from "../define-race.ts";
import { race, type WorkerIdentity } from "../race.ts";
import type { LoadedTask } from "./lab.ts";
import type { Operation } from "./task.ts";
import { asyncRunnerOf, countsCalls, runnerOf } from "./task-runner.ts";

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
  attach: (loaded, _setup, shared, worker) => runnerOf(operationOf(loaded, shared, worker)),
  attachAsync: (loaded, _setup, shared, worker) =>
    loaded.isAsync ? asyncRunnerOf(operationOf(loaded, shared, worker)) : undefined,
  law: ({ workers }, _setup, shared, work) => countsCalls(work) ?? (workers?.law ?? noLaw)(shared, work),
});

function operationOf({ operation, task }: LoadedTask, shared: unknown, worker: WorkerIdentity): Operation {
  return operation ?? (task!.open({ shared, worker }) as Operation);
}
