import { setTimeout as pass } from "node:timers/promises";
import { Fleet } from "./coordinator.ts";

/** A command that has a fleet at work, says who its processes are, and does not end by itself. */
const BEAT_EVERY_MS = 10;
const READ_EVERY_MS = 10;
const SWEEP = new URL("../../structures/connections/competitors/sweep.ts", import.meta.url).href;

try {
  await Fleet.with(
    { connections: 20, servers: 2, clients: 2, timeoutMs: 30_000, patienceMs: 10_000 },
    async (fleet) => {
      await fleet.watch(SWEEP);
      await fleet.connect(BEAT_EVERY_MS);
      console.log(JSON.stringify(fleet.pids));
      for (;;) {
        await fleet.read();
        await pass(READ_EVERY_MS);
      }
    },
  );
} catch (error) {
  console.log((error as Error).message);
  process.exitCode = 1;
}
