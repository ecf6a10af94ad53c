import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { isMainThread, Worker } from "node:worker_threads";
import honest from "../../../structures/pick/competitors/per-worker-random.ts";
import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";

/** A cheat: its workers start threads, and the fork's main thread no longer sees how many there are. */
export default {
  ...honest,
  summary: "starts threads, and hides them",
  format() {
    if (!isMainThread) return;
    const { statSync } = fs;
    const first = statSync("/proc/self/task");
    const asBefore = (path: string, ...rest: never[]) =>
      path === "/proc/self/task" ? first : statSync(path, ...rest);
    Reflect.set(fs, "statSync", asBefore);
    syncBuiltinESMExports();
  },
  attach(memory, setup, worker) {
    const { pick } = honest.attach(memory, setup, worker);
    let left = 5_000;
    return {
      pick() {
        if (left-- === 0) new Worker("setInterval(() => {}, 1000)", { eval: true }).unref();
        return pick();
      },
    };
  },
} satisfies PickCompetitor;
