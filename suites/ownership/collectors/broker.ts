import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findProgram } from "../../shared/processes.ts";

/**
 * A broker for one run: nats-server on a free loopback port with a temporary store. It runs under a guard, a process
 * that ends it and removes its folder however the run ends. Should the guard be killed, the run does that.
 */
export interface Broker {
  readonly servers: string;
  /** Goes when the broker is stopped, whatever is in it. */
  readonly folder: string;
  readonly pid: number;
  readonly guardPid: number;
  /** CPU time that it has used since it was started; undefined where the system does not report it. */
  cpuMs(): number | undefined;
  /** As kill -9 does; what it had acknowledged is in its store. */
  kill(): Promise<void>;
  /** Starts it anew, on the same port and with the same store. */
  restart(): Promise<void>;
  /** Ends it and removes what it stored. */
  stop(): Promise<void>;
}

/** What the guard says. */
export type GuardAnswer =
  | {
      readonly kind: "up";
      readonly pid: number;
      readonly port: number;
      readonly folder: string;
    }
  | { readonly kind: "down" }
  | { readonly kind: "failed"; readonly reason: string };

export type GuardOrder = { readonly kind: "kill" | "start" | "stop" };

const PROGRAMS = ["nats-server"];
/** By which the broker is installed. */
const INSTALLS_BROKER = "apt-get install nats-server, brew install nats-server, or https://nats.io/download";

/** Why there is no broker here; undefined if there is one. */
export function brokerAbsent(path?: string): string | undefined {
  return findProgram(PROGRAMS, path) === undefined
    ? `no nats-server is on the PATH (${INSTALLS_BROKER})`
    : undefined;
}

export async function startBroker(): Promise<Broker> {
  const absent = brokerAbsent();
  if (absent !== undefined) throw new Error(absent);
  const guard = fork(fileURLToPath(new URL("./broker.guard.ts", import.meta.url)), [findProgram(PROGRAMS)!], {
    stdio: ["ignore", 2, 2, "ipc"],
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  const remembered: { up?: Extract<GuardAnswer, { kind: "up" }> } = {};
  let isStopped = false;
  guard.on("message", (answer: GuardAnswer) => {
    if (answer.kind === "up") remembered.up = answer;
  });
  guard.once("close", () => {
    if (!isStopped) cleanUpAfter(remembered.up);
  });
  const order = async (kind: GuardOrder["kind"]) => {
    const answered = answerOf(guard);
    guard.send({ kind } satisfies GuardOrder, () => {});
    await answered;
  };
  await order("start");
  return {
    get pid() {
      return remembered.up!.pid;
    },
    guardPid: guard.pid!,
    folder: remembered.up!.folder,
    cpuMs: () => cpuMsOf(remembered.up!.pid),
    servers: `nats://127.0.0.1:${remembered.up!.port}`,
    kill: () => order("kill"),
    restart: () => order("start"),
    async stop() {
      isStopped = true;
      const ended = once(guard, "close");
      guard.send({ kind: "stop" } satisfies GuardOrder, () => {});
      await ended;
    },
  };
}

/** Clock ticks of Linux, which it reports to programs in hundredths of a second on all machines. */
const TICK_MS = 10;

/** User and system time stand behind the name, which may have spaces but ends with the last parenthesis. */
function cpuMsOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return TICK_MS * (Number(fields[11]) + Number(fields[12]));
  } catch {
    return undefined;
  }
}

async function answerOf(guard: ChildProcess): Promise<void> {
  const answer = await new Promise<GuardAnswer>((resolve) => {
    guard.once("message", resolve);
    guard.once("close", () => resolve({ kind: "failed", reason: "the broker's guard has ended" }));
  });
  if (answer.kind === "failed") throw new Error(answer.reason);
}

/** What a guard does at its end, if it was killed before. */
function cleanUpAfter(up: Extract<GuardAnswer, { kind: "up" }> | undefined): void {
  if (up === undefined) return;
  try {
    process.kill(up.pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
  rmSync(up.folder, { recursive: true, force: true, maxRetries: 5 });
}
