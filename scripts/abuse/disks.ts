import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Abuse, Call, Promised } from "./abuse.ts";
import { inClone } from "./clone.ts";
import { newestRecord } from "./planted-records.ts";
import { FIRST_TABLE, RACED, TWO_GROUPS } from "./races.ts";
import type { Scene } from "./scene.ts";

/** Disks that are full, read-only or gone: before a run, while it runs, and at its end. */

/** What one line says where there is no room: for a record also how much it takes. */
const NO_ROOM = /ENOSPC/;
const NO_ROOM_FOR_RECORD = /the record .*ENOSPC.*\d+ kB/;

/** Mounts a disk of its own where the results go; returns what takes it away. */
function mounted(options: string) {
  return ({ out }: Scene) => {
    mkdirSync(out);
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "hotpath-abuse", out]);
    return () => execFileSync("umount", ["--lazy", out]);
  };
}

/** Why no disk can be mounted here. */
function unmountable(): string | undefined {
  if (process.getuid?.() !== 0) return "only root may mount a disk";
  try {
    // In a mount namespace that ends with it.
    execFileSync("unshare", ["--mount", "mount", "-t", "tmpfs", "none", "/mnt"], { stdio: "pipe" });
    return undefined;
  } catch (error) {
    return `no disk can be mounted: ${(error as Error).message.split("\n")[1] ?? "unshare fails"}`;
  }
}

/** Takes all the room that is left on the disk of the results. */
function fill({ out }: Scene): void {
  const file = openSync(join(out, "others"), "a");
  const block = Buffer.alloc(4096);
  try {
    for (;;) writeSync(file, block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  } finally {
    closeSync(file);
  }
}

function onDisk(name: string, options: string, call: Pick<Abuse, "command" | "moments" | "promised">): Abuse {
  return { name: `disks/${name}`, ...call, setUp: mounted(options), skip: unmountable };
}

/** A run whose results are touched when its first group is whole. */
function touched(name: string, act: (scene: Scene) => void): Abuse {
  return {
    name: `disks/${name}`,
    command: TWO_GROUPS,
    moments: [{ when: FIRST_TABLE, act: ({ scene }) => act(scene) }],
    promised: { exit: RACED, kept: { groups: 2, interrupted: false } },
  };
}

/** A folder that nobody can make, root neither. */
const NOWHERE = "/proc/nowhere";

/** A command whose temporary folder is not there. */
function withoutTemporary(name: string, command: Call["command"], promised: Promised): Abuse {
  return { name: `disks/${name}`, command, env: { TMPDIR: NOWHERE }, promised };
}

export const disks: readonly Abuse[] = [
  onDisk("no-room-at-all", "size=4k", {
    command: TWO_GROUPS,
    promised: { exit: [0, 1], says: NO_ROOM_FOR_RECORD, kept: "nothing" },
  }),
  onDisk("full-at-the-second-group", "size=1m", {
    command: TWO_GROUPS,
    moments: [{ when: FIRST_TABLE, act: ({ scene }) => fill(scene) }],
    promised: { exit: [0, 1], says: NO_ROOM, kept: { groups: 1 } },
  }),
  onDisk("no-room-for-a-flame", "size=4k", {
    command: ["flame", "pick/uniform-8/cas-ring/1w", "--seconds", "0.2", "--out", "out"],
    promised: { exit: [1, 2], says: NO_ROOM, kept: "nothing" },
  }),
  onDisk("read-only", "size=1m,ro", {
    command: TWO_GROUPS,
    promised: { exit: 2, says: /out.*(EROFS|EACCES).*--out/ },
  }),
  onDisk("no-room-for-an-export", "size=4k", {
    command: ["export", "--format", "otava", "--out", "out/otava.csv", newestRecord("pick")],
    promised: { exit: 2, says: NO_ROOM },
  }),
  {
    name: "disks/out-is-a-file",
    files: { out: "" },
    command: TWO_GROUPS,
    promised: { exit: 2, says: /out.*--out/ },
  },
  {
    name: "disks/out-is-below-a-file",
    files: { place: "" },
    command: [...TWO_GROUPS, "--out", "place/out"],
    promised: { exit: 2, says: /place.*--out/ },
  },
  {
    name: "disks/out-is-a-device",
    command: [...TWO_GROUPS, "--out", "/dev/null"],
    promised: { exit: 2, says: /\/dev\/null.*--out/ },
  },
  touched("record-is-removed", ({ out }) => {
    for (const name of readdirSync(out)) if (name.endsWith(".json")) rmSync(join(out, name));
  }),
  touched("results-are-removed", ({ out }) => rmSync(out, { recursive: true })),
  withoutTemporary("no-temporary-folder", TWO_GROUPS, {
    exit: RACED,
    kept: { groups: 2, interrupted: false },
  }),
  withoutTemporary(
    "no-temporary-folder-for-a-flame",
    ["flame", "pick/uniform-8/cas-ring/1w", "--out", "out"],
    {
      exit: 2,
      says: /TMPDIR/,
    },
  ),
  {
    ...withoutTemporary("no-temporary-folder-for-compare", ["compare", "HEAD~1", "--out", "out"], {
      exit: 2,
      says: /TMPDIR/,
    }),
    ...inClone(),
  },
];
