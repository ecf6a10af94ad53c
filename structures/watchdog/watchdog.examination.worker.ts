import { once } from "node:events";
import { writeSync } from "node:fs";
import { setTimeout as pass } from "node:timers/promises";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { adopt } from "../shared/adopt.ts";
import { attachWatchdog, makeWatchdog, type WatchdogInstance, watchLoops } from "./watchdog.instance.ts";

/**
 * A main thread, a worker and a thread that watches both. One of them blocks, or none. Prints "watched", and then each hang
 * as the watching thread sees it.
 */
const QUIET_MS = 1500;

/** What a thread of this program is started with. */
interface Role {
  readonly watchdog: WatchdogInstance;
  readonly isWatching: boolean;
  readonly blockedMs: number;
  /** In ms since 1970, as a 64-bit integer: when the block began. */
  readonly beganMs: BigInt64Array;
}

function blocks({ blockedMs, beganMs }: Role): void {
  const endMs = Date.now() + blockedMs;
  Atomics.store(beganMs, 0, BigInt(Date.now()));
  while (Date.now() < endMs);
}

function watches({ watchdog, beganMs }: Role): void {
  watchLoops(watchdog, {
    onHung({ loop, stack }) {
      const afterMs = Date.now() - Number(Atomics.load(beganMs, 0));
      writeSync(1, `${JSON.stringify({ loop, afterMs, stack })}\n`);
    },
  });
}

if (!isMainThread) {
  const role = workerData as Role;
  if (role.isWatching) watches(role);
  else {
    attachWatchdog(role.watchdog, 1);
    setTimeout(() => role.blockedMs > 0 && blocks(role), QUIET_MS);
    setTimeout(() => {}, 2 * QUIET_MS + role.blockedMs);
  }
} else {
  const [, , what, ms] = process.argv;
  const watchdog = makeWatchdog({ loops: 2 });
  const beganMs = new BigInt64Array(new SharedArrayBuffer(8));
  const role = { watchdog, beganMs, isWatching: false, blockedMs: Number(ms) };
  attachWatchdog(watchdog, 0);
  const start = (of: Role) => new Worker(new URL(import.meta.url), { workerData: of });
  const watching = start({ ...role, isWatching: true });
  const worker = adopt(start({ ...role, blockedMs: what === "worker" ? role.blockedMs : 0 }), 1, watchdog);
  await Promise.all([once(watching, "online"), once(worker, "online")]);
  const exited = once(worker, "exit");
  await pass(QUIET_MS);
  writeSync(1, "watched\n");
  if (what === "main") blocks(role);
  else if (what === "worker") await exited;
  await pass(QUIET_MS);
  process.exit();
}
