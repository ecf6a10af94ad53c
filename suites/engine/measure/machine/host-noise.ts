import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { HostNoiseRecord } from "../../schema/envelope.ts";
import { sum } from "../../statistics.ts";
import { present } from "../../words/present.ts";
import { usableCoreNumbers } from "./cores.ts";

/**
 * Host noise: what the machine does meanwhile that is no part of what is measured. It is the difference of two readings
 * of counters; each takes a millisecond. What a system does not report is left out, and never guessed: on macOS all but
 * the load average and the battery.
 */
export interface HostSource {
  /** A file's text; undefined if there is none. */
  text(path: string): string | undefined;
  /** The names in a folder; none if there is no such folder. */
  names(path: string): readonly string[];
  /** What macOS says of its power supply; undefined elsewhere. */
  powerText(): string | undefined;
  loadAverage(): readonly number[];
  nowMs(): number;
  /** Resolves after this long, or when `signal` aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** The process whose own CPU time, and that of all that it starts, is not noise. */
  readonly pid: number;
  /** The cores that it may use. */
  readonly cores: readonly number[];
}

/** Counters since the machine was started; undefined where it does not report them. */
export interface HostReading {
  readonly atMs: number;
  readonly loadAverage: readonly number[];
  /** CPU time of all processes on the cores that may be used, and of ours among them, in s. */
  readonly busySeconds: number | undefined;
  readonly ownSeconds: number | undefined;
  /** CPU time that the hypervisor gave to others: of all cores, and of the cores that may be used. */
  readonly stealSeconds: number | undefined;
  readonly stolenSeconds: number | undefined;
  /** Time for which some process had to wait for a core. */
  readonly waitedSeconds: number | undefined;
  /** Time for which the container was stopped, because it had used up its quota. */
  readonly quotaStoppedSeconds: number | undefined;
  /** How often a core was slowed because it was too hot. */
  readonly heatSlowdowns: number | undefined;
  readonly onBattery: boolean | undefined;
}

/** Of /proc, on every Linux of note. */
const TICKS_PER_SECOND = 100;

export function readHost(source: HostSource): HostReading {
  const stat = source.text("/proc/stat");
  const own = new Set(source.cores);
  const times = cpuTimes(stat ?? "").filter(({ core }) => own.has(core));
  const isKnown = times.length > 0;
  return {
    atMs: source.nowMs(),
    loadAverage: source.loadAverage().map((load) => round(load, 2)),
    busySeconds: isKnown ? sum(times.map(({ busy }) => busy)) / TICKS_PER_SECOND : undefined,
    ownSeconds: isKnown ? treeSeconds(source) : undefined,
    stealSeconds: stealSecondsIn(stat),
    stolenSeconds: isKnown ? sum(times.map(({ stolen }) => stolen)) / TICKS_PER_SECOND : undefined,
    waitedSeconds: waitedSeconds(source.text("/proc/pressure/cpu")),
    quotaStoppedSeconds:
      quotaStoppedSeconds(source.text("/sys/fs/cgroup/cpu.stat")) ??
      quotaStoppedSeconds(source.text("/sys/fs/cgroup/cpu/cpu.stat")),
    heatSlowdowns: heatSlowdowns(source),
    onBattery: isOnBattery(source),
  };
}

/** In less time than this a tick of the kernel's counters, 10 ms, would pass for load; in s. */
const SHORTEST_SECONDS = 0.1;

/** What went on between two readings. */
export function noiseBetween(first: HostReading, last: HostReading): HostNoiseRecord {
  const now = { loadAverage: [...last.loadAverage], stealSeconds: last.stealSeconds ?? null };
  const seconds = (last.atMs - first.atMs) / 1000;
  if (seconds < SHORTEST_SECONDS) return now;
  const grown = (of: (reading: HostReading) => number | undefined): number | undefined => {
    const [from, to] = [of(first), of(last)];
    return from === undefined || to === undefined ? undefined : Math.max(0, to - from);
  };
  const perSecond = (value: number | undefined) => (value === undefined ? undefined : value / seconds);
  return {
    ...now,
    ...known({
      seconds,
      othersCores: perSecond(
        grown(({ busySeconds, ownSeconds }) =>
          busySeconds === undefined || ownSeconds === undefined ? undefined : busySeconds - ownSeconds,
        ),
      ),
      stolenCores: perSecond(grown(({ stolenSeconds }) => stolenSeconds)),
      waiting: perSecond(grown(({ waitedSeconds: waited }) => waited)),
      quotaStoppedSeconds: grown(({ quotaStoppedSeconds: stopped }) => stopped),
      heatSlowdowns: grown(({ heatSlowdowns: slowdowns }) => slowdowns),
    }),
    ...present({ onBattery: last.onBattery }),
  };
}

/** What goes on for this long from now on. Ends early when `signal` aborts. */
export async function noiseFor(
  ms: number,
  source: HostSource,
  signal: AbortSignal,
): Promise<HostNoiseRecord> {
  const first = readHost(source);
  await source.wait(ms, signal);
  return noiseBetween(first, readHost(source));
}

/** The figures that there are, to a thousandth. */
function known<Key extends string>(figures: Record<Key, number | undefined>): { [Known in Key]?: number } {
  const entries = Object.entries<number | undefined>(figures).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, round(value, 3)]],
  );
  return Object.fromEntries(entries) as { [Known in Key]?: number };
}

interface CpuTimes {
  readonly core: number;
  /** In ticks: what processes had, and what the hypervisor gave to others. */
  readonly busy: number;
  readonly stolen: number;
}

/** Of each core in /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal. Interrupts are no process's. */
function cpuTimes(stat: string): CpuTimes[] {
  return [...stat.matchAll(/^cpu(\d+) (.*)$/gm)].map(([, core, figures]) => {
    const [user = 0, nice = 0, system = 0, , , , , stolen = 0] = figures!.trim().split(/\s+/).map(Number);
    return { core: Number(core), busy: user + nice + system, stolen };
  });
}

/** The eighth figure of the first line of /proc/stat. */
function stealSecondsIn(stat: string | undefined): number | undefined {
  const [, steal] = /^cpu +(?:\d+ ){7}(\d+)/.exec(stat ?? "") ?? [];
  return steal === undefined ? undefined : Number(steal) / TICKS_PER_SECOND;
}

interface ProcessTimes {
  readonly parent: number;
  /** Its own CPU time and that of the children that it has outlived, in ticks. */
  readonly ticks: number;
}

/** Of a process's `stat`: its name may hold anything, parentheses and spaces too, so the last parenthesis ends it. */
function processTimes(stat: string): ProcessTimes {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // proc(5) counts from 1, and here the third is the first.
  const field = (number: number) => Number(fields[number - 3]);
  return { parent: field(4), ticks: field(14) + field(15) + field(16) + field(17) };
}

/** CPU time of our process and of all that it started, directly or not. */
function treeSeconds(source: HostSource): number | undefined {
  const processes = new Map<number, ProcessTimes>();
  for (const name of source.names("/proc")) {
    // One that has ended meanwhile is counted by its parent.
    const stat = /^\d+$/.test(name) ? source.text(`/proc/${name}/stat`) : undefined;
    if (stat !== undefined) processes.set(Number(name), processTimes(stat));
  }
  if (!processes.has(source.pid)) return undefined;
  const isOwn = (pid: number): boolean => {
    if (pid === source.pid) return true;
    const parent = processes.get(pid)?.parent;
    return parent !== undefined && parent !== 0 && isOwn(parent);
  };
  const own = [...processes].filter(([pid]) => isOwn(pid));
  return sum(own.map(([, { ticks }]) => ticks)) / TICKS_PER_SECOND;
}

/** The total of `some` in /proc/pressure/cpu, in us. */
function waitedSeconds(pressure: string | undefined): number | undefined {
  const [, total] = /^some .*\btotal=(\d+)/m.exec(pressure ?? "") ?? [];
  return total === undefined ? undefined : Number(total) / 1e6;
}

/** A control group's cpu.stat: version 2 counts in us, version 1 in ns. */
function quotaStoppedSeconds(stat: string | undefined): number | undefined {
  const [, us] = /^throttled_usec (\d+)$/m.exec(stat ?? "") ?? [];
  if (us !== undefined) return Number(us) / 1e6;
  const [, ns] = /^throttled_time (\d+)$/m.exec(stat ?? "") ?? [];
  return ns === undefined ? undefined : Number(ns) / 1e9;
}

/** Core by core: what is counted for a whole package is said of each of its cores. */
function heatSlowdowns({ text, cores }: HostSource): number | undefined {
  const counts = cores.flatMap((core) => {
    const folder = `/sys/devices/system/cpu/cpu${core}/thermal_throttle`;
    const count = text(`${folder}/core_throttle_count`);
    const ofPackage = text(`${folder}/package_throttle_count`);
    return count === undefined ? [] : [Math.max(Number(count), Number(ofPackage ?? 0))];
  });
  return counts.length === 0 ? undefined : sum(counts);
}

const POWER = "/sys/class/power_supply";

function isOnBattery(source: HostSource): boolean | undefined {
  const mac = source.powerText();
  if (mac !== undefined) return mac.includes("'Battery Power'");
  const batteries = source.names(POWER).filter((name) => {
    const of = (file: string) => source.text(`${POWER}/${name}/${file}`)?.trim();
    // A mouse has a battery, too.
    return of("type") === "Battery" && of("scope") !== "Device";
  });
  if (batteries.length === 0) return undefined;
  return batteries.some((name) => source.text(`${POWER}/${name}/status`)?.trim() === "Discharging");
}

function round(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}

/** This machine, and this process. */
export const HOST: HostSource = {
  text(path) {
    try {
      return readFileSync(path, "utf8");
    } catch {
      return undefined;
    }
  },
  names(path) {
    try {
      return readdirSync(path);
    } catch {
      return [];
    }
  },
  powerText() {
    if (process.platform !== "darwin") return undefined;
    try {
      return execFileSync("pmset", ["-g", "batt"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    } catch {
      return undefined;
    }
  },
  loadAverage: loadavg,
  nowMs: () => performance.now(),
  wait: (ms, signal) => delay(ms, undefined, { signal }).catch(() => {}),
  pid: process.pid,
  get cores() {
    return usableCoreNumbers();
  },
};
