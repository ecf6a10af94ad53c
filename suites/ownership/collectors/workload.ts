import { readFileSync, writeFileSync } from "node:fs";
import { askedOf, type History, homeOf } from "../collector.ts";
import type { Fleet } from "../fleet.ts";

/**
 * What the agents of one collector report: the part of the simulated history that comes to that node. It is in columns
 * that threads can share and processes can read from a file. Faults that the simulation draws have befallen it already.
 * Times are relative to the run.
 */
export interface Workload {
  readonly claims: Claims;
  readonly questions: Questions;
}

/** Claims of the agents, in the order in which they come. */
interface Claims {
  readonly count: number;
  readonly arrivals: Int32Array;
  readonly resources: Int32Array;
  readonly owners: Int32Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** The owner of each flow's far end when it began, in the order in which the flows are reported. */
interface Questions {
  readonly count: number;
  readonly askedAt: Int32Array;
  readonly about: Int32Array;
  readonly resources: Int32Array;
  /** That owner. For the judge of the answers, not for the collector that gives them. */
  readonly truths: Int32Array;
  /** When the flow ended. */
  readonly stops: Int32Array;
}

const HEAD_WORDS = 2;
const COLUMNS = 5;

export function drawWorkload(node: number, nodes: number, fleet: Fleet, history: History): Int32Array {
  const { news, heard, questions } = history;
  const { news: pieces, arrivals } = heard[node]!;
  const own = indicesOf(pieces, (piece) => homeOf(news.resources[piece]!, nodes) === node);
  const asked = askedOf(node, nodes, fleet, questions);
  const length = HEAD_WORDS + COLUMNS * (own.length + asked.length);
  const words = new Int32Array(new SharedArrayBuffer(length * Int32Array.BYTES_PER_ELEMENT));
  words.set([own.length, asked.length]);
  const { claims, questions: columns } = openWorkload(words);
  for (const [index, at] of own.entries()) {
    const piece = pieces[at]!;
    claims.arrivals[index] = arrivals[at]!;
    claims.resources[index] = news.resources[piece]!;
    claims.owners[index] = news.owners[piece]!;
    claims.starts[index] = news.starts[piece]!;
    claims.ends[index] = news.stops[piece]!;
  }
  const { resources, owners, stops } = fleet.ends;
  for (const [index, end] of asked.entries()) {
    columns.askedAt[index] = questions.askedAt[end]!;
    columns.about[index] = questions.about[end]!;
    columns.resources[index] = resources[end ^ 1]!;
    columns.truths[index] = owners[end ^ 1]!;
    columns.stops[index] = stops[end]!;
  }
  return words;
}

export function writeWords(file: string, words: Int32Array): void {
  writeFileSync(file, new Uint8Array(words.buffer, words.byteOffset, words.byteLength));
}

export function readWords(file: string): Int32Array {
  return new Int32Array(new Uint8Array(readFileSync(file)).buffer);
}

export function openWorkload(words: Int32Array): Workload {
  const [reported, asked] = words;
  const columnsAt = (from: number, count: number) =>
    Array.from({ length: COLUMNS }, (_, column) =>
      words.subarray(from + column * count, from + (column + 1) * count),
    );
  const [arrivals, resources, owners, starts, ends] = columnsAt(HEAD_WORDS, reported!);
  const [askedAt, about, farResources, truths, stops] = columnsAt(HEAD_WORDS + COLUMNS * reported!, asked!);
  return {
    claims: {
      count: reported!,
      arrivals: arrivals!,
      resources: resources!,
      owners: owners!,
      starts: starts!,
      ends: ends!,
    },
    questions: {
      count: asked!,
      askedAt: askedAt!,
      about: about!,
      resources: farResources!,
      truths: truths!,
      stops: stops!,
    },
  };
}

function indicesOf(values: Int32Array, isWanted: (value: number) => boolean): Int32Array {
  const indices = new Int32Array(values.length);
  let count = 0;
  for (const [index, value] of values.entries()) if (isWanted(value)) indices[count++] = index;
  return indices.subarray(0, count);
}
