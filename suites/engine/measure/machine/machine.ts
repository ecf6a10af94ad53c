import { arch, cpus, platform, release, totalmem } from "node:os";
import type { MachineRecord } from "../../schema/envelope.ts";
import { cpuQuotaCores, usableCores } from "./cores.ts";
import { LANGUAGE_FLAGS } from "./flags.ts";
import { HOST } from "./host-noise.ts";

/** Describes the machine without naming it: no host name, no path, no address. */
export function describeMachine(): MachineRecord {
  const cpu = cpus()[0]?.model.trim() || "unknown CPU";
  const cores = usableCores();
  const memoryBytes = totalmem();
  const memoryGiB = Math.round(memoryBytes / 2 ** 30);
  return {
    slug: `${slugOf(cpu)}-${cores}c-${memoryGiB}g`,
    cpu,
    cores,
    cpuQuotaCores: cpuQuotaCores(),
    governor: HOST.text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")?.trim() ?? null,
    memoryBytes,
    platform: `${platform()} ${arch()}`,
    kernel: release(),
  };
}

export function describeRuntime(versions: Readonly<Partial<Record<string, string>>> = process.versions): {
  name: string;
  version: string;
  engine: string;
  flags: string[];
} {
  const { node = "unknown", bun, deno } = versions;
  const [name, version] =
    bun !== undefined ? ["Bun", bun] : deno !== undefined ? ["Deno", deno] : ["Node.js", node];
  return {
    name,
    version,
    engine: engineOf(versions),
    flags: [
      ...LANGUAGE_FLAGS,
      ...(process.env.NODE_OPTIONS ?? "").split(/\s+/).filter((flag) => flag !== ""),
    ],
  };
}

function engineOf({ webkit, v8 }: Readonly<Partial<Record<string, string>>>): string {
  // Bun reports the V8 version of the Node that it stands in for. It has none: its engine is named by WebKit's
  // revision.
  if (webkit !== undefined) return `JavaScriptCore ${webkit.slice(0, REVISION_DIGITS)}`;
  return v8 === undefined ? "unknown engine" : `V8 ${v8}`;
}

/** Hexadecimal digits of a revision that name one alone. */
const REVISION_DIGITS = 12;

function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/\((r|tm)\)|\bprocessor\b|\bcpu\b|@.*$/g, " ")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
}
