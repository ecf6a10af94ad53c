import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, watch } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killProcess } from "../../shared/processes.ts";
import type { GuardAnswer, GuardOrder } from "./broker.ts";

/**
 * Holds a nats-server for the process that forked this one. Its channel ends with that process, also when it is killed, and
 * with it the server and its folder.
 */
const STARTED_WITHIN_MS = 10_000;

const [, , program] = process.argv;
const folder = mkdtempSync(join(tmpdir(), "hotpath-lab-broker-"));
let server: ChildProcess | undefined;
let port = -1;

async function start(): Promise<GuardAnswer> {
  const ports = mkdtempSync(join(folder, "ports-"));
  server = spawn(
    program!,
    [
      ...["--addr", "127.0.0.1", "--port", String(port)],
      ...["--jetstream", "--store_dir", join(folder, "store")],
      ...["--ports_file_dir", ports, "--log", join(folder, "log")],
    ],
    { stdio: "ignore", cwd: folder },
  );
  const { pid } = server;
  if (pid === undefined) return { kind: "failed", reason: "nats-server could not be started" };
  const file = join(ports, `nats-server_${pid}.ports`);
  const isUp = await appears(ports, file, once(server, "exit"));
  if (!isUp) return { kind: "failed", reason: `nats-server did not start: ${lastLogLine()}` };
  const { nats } = JSON.parse(readFileSync(file, "utf8")) as Record<string, string[]>;
  port = Number(new URL(nats![0]!).port);
  return { kind: "up", pid, port, folder };
}

/** Whether a file is there before the server has ended or time is up. */
async function appears(place: string, file: string, ended: Promise<unknown>): Promise<boolean> {
  const seen = Promise.withResolvers<boolean>();
  const isWhole = () => existsSync(file) && readFileSync(file, "utf8").trimEnd().endsWith("}");
  const watcher = watch(place, () => isWhole() && seen.resolve(true));
  const timer = setTimeout(() => seen.resolve(isWhole()), STARTED_WITHIN_MS);
  void ended.then(() => seen.resolve(false));
  if (isWhole()) seen.resolve(true);
  try {
    return await seen.promise;
  } finally {
    watcher.close();
    clearTimeout(timer);
  }
}

function lastLogLine(): string {
  const log = join(folder, "log");
  return existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n").at(-1)! : "it said nothing";
}

async function kill(): Promise<void> {
  if (server !== undefined) await killProcess(server);
}

async function end(): Promise<never> {
  await kill();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
}

process.on("message", async ({ kind }: GuardOrder) => {
  if (kind === "stop") await end();
  else if (kind === "kill") {
    await kill();
    process.send!({ kind: "down" } satisfies GuardAnswer);
  } else process.send!(await start());
});
process.once("disconnect", end);
// Ctrl-C and the like reach the whole process group; the run decides, and its end is heard.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
