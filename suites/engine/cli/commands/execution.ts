import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { arch, platform } from "node:os";
import { text } from "node:stream/consumers";
import { howItEnded } from "../../measure/machine/process-status.ts";

/** One execution of a command, with what the system says of it. */
export interface Execution {
  readonly wallNs: number;
  /** Of all its processes that were waited for; undefined where the system does not say. */
  readonly cpuNs?: number;
  /** The most memory that one of its processes held, in bytes; undefined where the system does not say. */
  readonly peakBytes?: number;
  /** How it ended, unless with exit code 0. */
  readonly failure?: string;
}

/** Executes a command once, in a shell where it needs one, without input and output. Kills it when the signal aborts. */
export type Execute = (command: string, signal: AbortSignal) => Promise<Execution>;

/** The number of getrusage by platform and architecture: Node asks it of no children, and Perl has no function for it. */
const GETRUSAGE: Readonly<Record<string, number>> = {
  "linux x64": 98,
  "linux arm64": 165,
  "darwin arm64": 117,
  "darwin x64": 117,
};

/**
 * Starts a command, waits for it and prints seconds, microseconds of CPU time, the peak and how it ended. Perl is a tenth of Node's
 * size: a child begins as a copy of its parent, whose memory counts in its peak. `exec` takes a shell only for what needs one.
 */
const PERL = `
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);
my ($getrusage, $command) = @ARGV;
my $begin = clock_gettime(CLOCK_MONOTONIC);
my $pid = fork;
die "fork: $!" unless defined $pid;
if ($pid == 0) { open STDOUT, ">/dev/null"; { exec $command } exit 127 }
waitpid $pid, 0;
my ($status, $seconds) = ($?, clock_gettime(CLOCK_MONOTONIC) - $begin);
my $usage = "\\0" x 256;
syscall($getrusage, -1, $usage);
my ($us, $uus, $ss, $sus, $peak) = unpack "q l x4 q l x4 q", $usage;
printf "%.9f %d %d %d", $seconds, 1e6 * ($us + $ss) + $uus + $sus, $peak, $status;
`;

/** The best way that this system has: by Perl, which Linux and macOS mostly have, or else by Node, which sees times alone. */
export function executor(): Execute {
  const getrusage = GETRUSAGE[`${platform()} ${arch()}`];
  const isThere = getrusage !== undefined && spawnSync("perl", ["-MTime::HiRes", "-e", "1"]).status === 0;
  return isThere ? (command, signal) => executeByPerl(getrusage, command, signal) : executeByNode;
}

async function executeByPerl(getrusage: number, command: string, signal: AbortSignal): Promise<Execution> {
  const child = spawn("perl", ["-e", PERL, String(getrusage), command], {
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  const [said] = await Promise.all([text(child.stdout), ended(child, signal)]);
  const [seconds, cpuUs, peak, status] = said.split(" ").map(Number) as [number, number, number, number];
  if (status === undefined) return { wallNs: 0, failure: "its process was killed" };
  const killedBy = status & 127;
  const how = killedBy === 0 ? howItEnded(status >> 8, null) : `its process died of signal ${killedBy}`;
  return {
    wallNs: 1e9 * seconds,
    cpuNs: 1e3 * cpuUs,
    peakBytes: (platform() === "darwin" ? 1 : 1024) * peak,
    ...(status !== 0 && { failure: how }),
  };
}

export async function executeByNode(command: string, signal: AbortSignal): Promise<Execution> {
  const isPosix = platform() !== "win32";
  const begunMs = performance.now();
  const child = spawn(command, { shell: true, stdio: "ignore", detached: isPosix });
  const { code, killedBy } = await ended(child, signal);
  const wallNs = 1e6 * (performance.now() - begunMs);
  return code === 0 ? { wallNs } : { wallNs, failure: howItEnded(code, killedBy) };
}

/** Waits for a process that leads a group of its own, which goes as a whole: Ctrl-C does not reach it. */
async function ended(child: ChildProcess, signal: AbortSignal) {
  const kill = () => {
    try {
      if (platform() === "win32") child.kill();
      else process.kill(-child.pid!, "SIGTERM");
    } catch {
      // It has just ended.
    }
  };
  signal.addEventListener("abort", kill, { once: true });
  const { promise, resolve, reject } = Promise.withResolvers<{
    readonly code: number | null;
    readonly killedBy: NodeJS.Signals | null;
  }>();
  child.once("error", reject).once("exit", (code, killedBy) => resolve({ code, killedBy }));
  return promise.finally(() => signal.removeEventListener("abort", kill));
}
