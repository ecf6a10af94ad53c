import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { findProgram } from "../shared/processes.ts";

const RECOMPUTE = fileURLToPath(new URL("../../scripts/recompute.py", import.meta.url));
const PRICES = fileURLToPath(new URL("../../scripts/prices.py", import.meta.url));
const PYTHON = findProgram(["python3"]);

/** Why figures cannot be recomputed here, for a test to skip; false if they can be. */
export const cannotRecompute = PYTHON === undefined && "no python3 is on the PATH";

/** What the script in another language says of the files of a record, its slices and its page. */
export function recompute(...words: string[]) {
  return spawnSync(PYTHON!, [RECOMPUTE, ...words], { encoding: "utf8" });
}

/** The table of what each protection of a run cost. */
export function prices(record: string, slices: string) {
  return spawnSync(PYTHON!, [PRICES, record, slices], { encoding: "utf8" });
}
