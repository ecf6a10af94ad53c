import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Abuse } from "./abuse.ts";
import { endAll } from "./processes.ts";

/** Where one abuse takes place: folders of its own, and a mark on all that is started there. */
export interface Scene {
  /** What its processes are marked with. */
  readonly mark: string;
  /** Where the command is called. */
  readonly folder: string;
  /** What the promise about records is about. */
  readonly out: string;
  /** For the command's temporary files, and the person's home: both empty. */
  readonly temporary: string;
  readonly home: string;
  /** What stands in `folder` before the command is called. */
  readonly planted: ReadonlySet<string>;
  /** Ends every process of the scene and takes all of it away. */
  strike(): void;
}

/** Scenes that still stand. */
const scenes = new Set<Scene>();

/** Sets the scene of an abuse. */
export function setScene({ files = {}, setUp }: Pick<Abuse, "files" | "setUp">): Scene {
  const root = mkdtempSync(join(tmpdir(), "hotpath-abuse-"));
  const [folder, temporary, home] = [join(root, "work"), join(root, "tmp"), join(root, "home")];
  for (const path of [folder, temporary, home]) mkdirSync(path);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const planted = new Set<string>();
  let undo: (() => void) | undefined;
  const strike = () => {
    endAll(root);
    undo?.();
    undo = undefined;
    rmSync(root, { recursive: true, force: true });
    scenes.delete(scene);
  };
  const scene = { mark: root, folder, out: join(folder, "out"), temporary, home, planted, strike };
  scenes.add(scene);
  try {
    undo = setUp?.(scene);
  } catch (error) {
    strike();
    throw error;
  }
  for (const name of readdirSync(folder)) planted.add(name);
  return scene;
}

/** Takes away all scenes that stand: for a harness that is ended itself. */
export function strikeAll(): void {
  for (const scene of scenes) scene.strike();
}

/** Paths of the records in a folder, newest first. */
export function recordsIn(out: string): string[] {
  return listed(out)
    .filter((name) => name.endsWith(".json") && !name.startsWith("."))
    .sort()
    .reverse()
    .map((name) => join(out, name));
}

/** Names in a folder, none where it is no folder. */
export function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Nothing was written, or it is no folder: the case knows.
    return [];
  }
}
