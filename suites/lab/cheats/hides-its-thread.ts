import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { isMainThread, Worker } from "node:worker_threads";
import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";
import { turningPicker } from "./turning-picker.ts";

/** A cheat: its workers start threads, and the fork's main thread no longer sees how many there are. */
export default {
  ...turningPicker("starts threads, and hides them", () =>
    new Worker("setInterval(() => {}, 1000)", { eval: true }).unref(),
  ),
  format() {
    if (!isMainThread) return;
    const { statSync } = fs;
    const first = statSync("/proc/self/task");
    const asBefore = (path: string, ...rest: never[]) =>
      path === "/proc/self/task" ? first : statSync(path, ...rest);
    Reflect.set(fs, "statSync", asBefore);
    syncBuiltinESMExports();
  },
} satisfies PickCompetitor;
