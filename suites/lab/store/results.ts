import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { writeWhole } from "../../engine/measure/machine/write-whole.ts";
import { UsageError } from "../command/usage.ts";
import type { BenchRecord } from "../schema/record.ts";
import { isOnRuntimes, partsOf, readRecord, recordText } from "../schema/record-file.ts";
import { SLICES_SUFFIX } from "./raw.ts";

/** The store: the only code that writes under results/. */
export const RESULTS = fileURLToPath(new URL("../../../results/", import.meta.url));
/** The machines that have published, each in a file, and the page that compares them. */
export const MACHINES_FOLDER = join(RESULTS, "machines");

/** Writes each file whole that differs, in order, compressing those whose names end with `.gz`; returns their paths. */
export function writeAll(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([path, text]) => {
    const bytes = path.endsWith(".gz") ? gzipSync(text) : Buffer.from(text);
    if (existsSync(path) && readFileSync(path).equals(bytes)) return [];
    writeWhole(path, bytes);
    return [path];
  });
}

/** Where the files of a local run go: the folder that --out names, or results/local. */
export function localFolder(out: string | undefined): string {
  return resolve(out ?? join(RESULTS, "local"));
}

/** Throws a UsageError unless files can be written in `folder`, which `option` names; makes it if need be. */
export function checkWritable(folder: string, option = "--out DIR"): void {
  const probe = join(folder, `.probe.${process.pid}.tmp`);
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(probe, "");
    rmSync(probe);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `results cannot be written to ${folder} (${code}): make it writable, or choose another with ${option}`,
    );
  }
}

/** What a record's file is named after. */
export type RecordIdentity = Pick<BenchRecord, "startedAt" | "commit" | "machine">;

/** Names sort by time: `2026-11-20T101112345-1a2b3c4-<machine>`, to the ms, with the day alone for a published one. */
export function recordName({ startedAt, commit, machine }: RecordIdentity, published: boolean): string {
  const time = published ? startedAt.slice(0, 10) : startedAt.slice(0, 23).replaceAll(/[:.]/g, "");
  return `${time}-${commit?.hash.slice(0, 7) ?? "nocommit"}-${machine.slug}`;
}

/** Where the slices of a run are kept: beside its local record, wherever its record goes. */
export function slicesPath(identity: RecordIdentity, folder: string): string {
  return join(folder, `${recordName(identity, false)}${SLICES_SUFFIX}`);
}

/**
 * Where a primitive's records and pages stand. What was raced on several runtimes stands apart, so that nothing which is
 * made from the records of the lab's own runtime ever reads it.
 */
export function publishedFolder(primitive: string, onRuntimes = false): string {
  return onRuntimes ? join(RESULTS, "runtimes", primitive) : join(RESULTS, primitive);
}

/** Where a primitive's part of a record is published. */
export function publishedPath(identity: RecordIdentity, primitive: string, onRuntimes: boolean): string {
  return join(publishedFolder(primitive, onRuntimes), `${recordName(identity, true)}.json.gz`);
}

/** The published records of a primitive, newest last. */
export function publishedRecords(primitive: string, results = RESULTS): string[] {
  return recordsIn(join(results, primitive), readRecord).map(({ path }) => path);
}

/** The published records in a folder, newest last: by when they were made, which their names give to the day. */
export function recordsIn<Made extends { readonly startedAt: string }>(
  folder: string,
  read: (path: string) => Made,
): { readonly path: string; readonly record: Made }[] {
  return listFiles(folder)
    .filter((file) => /^\d{4}-\d{2}-\d{2}[-T].*\.json(\.gz)?$/.test(file))
    .map((file) => join(folder, file))
    .map((path) => ({ path, record: read(path) }))
    .sort((a, b) => (a.record.startedAt < b.record.startedAt ? -1 : 1));
}

/**
 * The slugs of all machines that have published, by the names of their records: the one with the most first, the others by
 * name. All pages are of the first, so that a single record from another machine changes none of them.
 */
export function publishingMachines(results = RESULTS): string[] {
  const slugs = readdirSync(results, { recursive: true, encoding: "utf8" }).flatMap(
    (path) => RECORD_NAME.exec(basename(path))?.[1] ?? [],
  );
  const counts = [...Map.groupBy(slugs, (slug) => slug)].map(([slug, own]) => ({
    slug,
    records: own.length,
  }));
  const byName = counts.sort((a, b) => (a.slug < b.slug ? -1 : 1));
  const [home] = byName.toSorted((a, b) => b.records - a.records);
  return home === undefined
    ? []
    : [home.slug, ...byName.filter((one) => one !== home).map(({ slug }) => slug)];
}

/** As `recordName` makes it of a published record. */
const RECORD_NAME = /^\d{4}-\d\d-\d\d-(?:[0-9a-f]{7}|nocommit)-(.+)\.json\.gz$/;

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/**
 * Publishes a record: each primitive's part goes to its own folder, and the machine is put on file. Returns the paths.
 */
export function publish(record: BenchRecord): string[] {
  const files = new Map<string, string>();
  const machineFile = join(MACHINES_FOLDER, `${record.machine.slug}.json`);
  files.set(machineFile, `${JSON.stringify(record.machine, null, 2)}\n`);
  const surveys = record.surveys ?? [];
  const primitives = new Set(partsOf(record).map(({ primitive }) => primitive));
  for (const primitive of primitives) {
    const isOwn = (part: { primitive: string }) => part.primitive === primitive;
    const own = {
      ...record,
      groups: record.groups.filter(isOwn),
      simulations: record.simulations.filter(isOwn),
      surveys: surveys.filter(isOwn),
      ...(record.overviews === undefined ? {} : { overviews: record.overviews.filter(isOwn) }),
    };
    files.set(publishedPath(record, primitive, isOnRuntimes(record)), recordText(own));
  }
  return writeAll(files);
}
