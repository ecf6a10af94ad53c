import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { basename, dirname } from "node:path";
import { gzipSync } from "node:zlib";
import type { CrewResult } from "../../engine/measure/plan/protocol.ts";
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
 * compressed by itself and appended as soon as the fork has ended. A run that is killed thus leaves every finished
 * fork. Decompressed, the file is one text (RFC 1952: members of a gzip file follow each other).
 *
 * It grows by some megabytes in a minute of racing and stays beside the local record: what is committed are digests.
 */
export class RawSlices {
  readonly path: string;
  readonly #say: (line: string) => void;
  readonly #hash = createHash("sha256");
  #bytes = 0;
  #isBroken = false;

  /**
   * A resumed run appends to what its record, `previous`, says of its file. What follows there are forks of a group
   * that was not finished, the last of them perhaps torn. Another file of that name is replaced.
   */
  constructor(path: string, previous: BenchRecord["raw"], say: (line: string) => void) {
    this.path = path;
    this.#say = say;
    mkdirSync(dirname(path), { recursive: true });
    if (previous === undefined) rmSync(path, { force: true });
    else this.#takeUp(previous);
  }

  #takeUp({ sha256, bytes }: NonNullable<BenchRecord["raw"]>): void {
    try {
      const known = readFileSync(this.path).subarray(0, bytes);
      this.#hash.update(known);
      this.#bytes = known.byteLength;
      if (this.#hash.copy().digest("hex") === sha256) truncateSync(this.path, this.#bytes);
      else this.#break("other than its record says");
    } catch (error) {
      this.#break(codeOf(error));
    }
  }

  /** Where the disk is full, or the file cannot be written for another reason, the run goes on without it, and says so. */
  append(fork: RawFork): void {
    if (this.#isBroken) return;
    try {
      const line = gzipSync(`${JSON.stringify(fork)}\n`);
      appendFileSync(this.path, line);
      this.#hash.update(line);
      this.#bytes += line.byteLength;
    } catch (error) {
      this.#break(codeOf(error));
    }
  }

  /** A part of the slices is of no use, and the record may need the room. */
  #break(why: string): void {
    this.#isBroken = true;
    this.#say(`slices are not kept (${why}: ${this.path}); the run and its record go on\n`);
    try {
      this.discard();
    } catch {
      // What cannot be written can often not be removed either.
    }
  }

  /** Of a run that finished no group: nothing refers to what it kept. */
  discard(): void {
    rmSync(this.path, { force: true });
  }

  /** What a record says of the file; undefined where no fork was raced, or not all could be kept. */
  describe(): BenchRecord["raw"] {
    if (this.#isBroken || this.#bytes === 0) return undefined;
    return { file: basename(this.path), sha256: this.#hash.copy().digest("hex"), bytes: this.#bytes };
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
