import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import { gzipSync } from "node:zlib";
import type { CrewResult } from "../measure/protocol.ts";
import type { BenchRecord } from "../schema/record.ts";

/** What one fork of a group sent: a line of the file. */
export interface RawFork {
  readonly primitive: string;
  readonly scenario: string;
  readonly workers: number;
  readonly fork: number;
  readonly crews: readonly CrewResult[];
}

/** Ends the name of every file of slices, which begins with its record's. */
export const SLICES_SUFFIX = ".slices.ndjson.gz";

/**
 * The slices of a run: a line of JSON for each fork of a group, in the order in which they were raced. Each line is
 * compressed by itself and appended as soon as the fork has ended, so that of a run that is killed every finished fork is
 * there; decompressed, the file is one text (RFC 1952: members of a gzip file follow each other).
 *
 * It grows by some megabytes in a minute of racing and stays beside the local record: what is committed are digests.
 */
export class RawSlices {
  readonly path: string;
  readonly #say: (line: string) => void;
  #isBroken = false;

  /** A run that is gone on with appends to its own file; another file of that name is replaced. */
  constructor(path: string, goesOn: boolean, say: (line: string) => void) {
    this.path = path;
    this.#say = say;
    mkdirSync(dirname(path), { recursive: true });
    if (!goesOn) rmSync(path, { force: true });
  }

  /** Where the disk is full, or the file cannot be written for another reason, the run goes on without it, and says so. */
  append(fork: RawFork): void {
    if (this.#isBroken) return;
    try {
      appendFileSync(this.path, gzipSync(`${JSON.stringify(fork)}\n`));
    } catch (error) {
      this.#isBroken = true;
      const { code } = error as NodeJS.ErrnoException;
      this.#say(`slices are not kept from here on (${code}: ${this.path}); the run and its record go on\n`);
    }
  }

  /** Of a run that finished no group: nothing refers to what it kept. */
  discard(): void {
    rmSync(this.path, { force: true });
  }

  /** What a record says of the file; undefined where no fork was raced, or not all could be kept. */
  describe(): BenchRecord["raw"] {
    if (this.#isBroken) return undefined;
    try {
      const sha256 = createHash("sha256").update(readFileSync(this.path)).digest("hex");
      return { file: basename(this.path), sha256 };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }
}
