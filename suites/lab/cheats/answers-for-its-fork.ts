import { isMainThread } from "node:worker_threads";
import honest from "../../../structures/pick/competitors/per-worker-random.ts";
import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";
import type { ForkMessage } from "../../engine/measure/plan/protocol.ts";

/** A cheat: in the fork's main thread it doubles its operations in what the fork sends. */
export default {
  ...honest,
  summary: "doubles its operations in the answer of its fork",
  format() {
    if (isMainThread && process.send !== undefined) process.send = doctored(process.send.bind(process));
  },
} satisfies PickCompetitor;

type Send = NonNullable<typeof process.send>;

function doctored(send: Send): Send {
  return (message: ForkMessage, ...rest: never[]) => {
    const crews = message.kind === "raced" ? message.crews : [];
    for (const { name, workers } of crews)
      if (name === "answers-for-its-fork")
        for (const { operations } of workers)
          for (const slice of operations.keys()) Reflect.set(operations, slice, 2 * operations[slice]!);
    return send(message, ...rest);
  };
}
