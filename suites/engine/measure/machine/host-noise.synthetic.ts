import type { HostSource } from "./host-noise.ts";

/** Machines whose host noise is known. */

/** A machine of these files; a folder has the names of what lies below it. */
export function planted(files: Readonly<Record<string, string>>, own: Partial<HostSource> = {}): HostSource {
  const paths = Object.keys(files);
  return {
    text: (path) => files[path],
    names: (folder) => [
      ...new Set(
        paths
          .filter((path) => path.startsWith(`${folder}/`))
          .map((path) => path.slice(folder.length + 1).split("/")[0]!),
      ),
    ],
    powerText: () => undefined,
    loadAverage: () => [0.123, 0, 0],
    nowMs: () => 0,
    wait: async () => {},
    pid: 10,
    cores: [0, 1],
    ...own,
  };
}

/** /proc/stat, of each core's ticks in processes and ticks stolen. */
export function statOf(...cores: readonly (readonly [busy: number, stolen: number])[]): string {
  const stolen = cores.reduce((sum, [, ticks]) => sum + ticks, 0);
  const lines = cores.map(([busy, own], core) => `cpu${core} ${busy} 0 0 900 9 0 7 ${own} 0 0`);
  return [`cpu  1 0 0 900 9 0 7 ${stolen} 0 0`, ...lines, "intr 1 2 3", ""].join("\n");
}

/** /proc/PID/stat, with a name that holds what a reader could stumble over. */
export function processOf(pid: number, parent: number, user: number, children: number): string {
  return `${pid} (a) R (b) S ${parent} 1 1 0 -1 4194304 1 0 0 0 ${user} 3 ${children} 0 20 0 1 0 100 1 1`;
}

/** A machine of two cores whose clock goes on only while one waits, and on which others keep that number of cores busy. */
export function busyMachine(othersCores: (second: number) => number): HostSource {
  let ms = 0;
  let othersTicks = 0;
  const source = planted({ "/proc/10/stat": processOf(10, 1, 0, 0) });
  return {
    ...source,
    text: (path) => (path === "/proc/stat" ? statOf([othersTicks, 0], [0, 0]) : source.text(path)),
    nowMs: () => ms,
    async wait(waitMs) {
      othersTicks += (waitMs / 10) * othersCores(ms / 1000);
      ms += waitMs;
    },
  };
}
