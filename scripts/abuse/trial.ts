import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Abuse, Call, Promised } from "./abuse.ts";
import { carryOut, type Ended } from "./call.ts";
import { differencesOf } from "./checkout.ts";
import { brokenPromises, keptIn } from "./promises.ts";
import { type Scene, setScene } from "./scene.ts";
import { terminalFaults, visible } from "./terminal.ts";

/** What came of an abuse. */
export interface Trial {
  readonly name: string;
  /** What was called, one after the other. */
  readonly commands: readonly string[];
  /** The line that tells of it, of each call. */
  readonly printed: readonly string[];
  readonly exits: readonly string[];
  readonly kept: string;
  /** Processes, files and faults of the terminal, a few words each. */
  readonly left: readonly string[];
  /** Each promise that was not kept. */
  readonly broken: readonly string[];
  /** How what was printed ends, of the calls that broke one. */
  readonly ends: readonly string[];
  /** Why it was not tried. */
  readonly skipped?: string;
}

/** Carries out an abuse of a checkout's commands, and looks whether every promise was kept. */
export async function tryAbuse(abuse: Abuse, checkout: string): Promise<Trial> {
  const untried = { ...NOTHING_CAME, name: abuse.name, commands: callsOf(abuse).map(lineOf) };
  const skipped = abuse.skip?.();
  if (skipped !== undefined) return { ...untried, skipped };
  const before = differencesOf(checkout);
  let scene: Scene | undefined;
  try {
    scene = setScene(abuse);
    const came = await mistreat(abuse, scene, checkout);
    const left = [...came.left, ...strayFiles(scene), ...grown(checkout, before)];
    const broken = [...came.broken, ...left.map((what) => `left: ${what}`)];
    return { ...untried, ...came, kept: keptIn(scene.out), left, broken };
  } catch (error) {
    // The others are tried all the same.
    return { ...untried, broken: [`it cannot be tried: ${(error as Error).message}`] };
  } finally {
    scene?.strike();
  }
}

/** Call after call. */
async function mistreat(abuse: Abuse, scene: Scene, checkout: string) {
  const calls = callsOf(abuse);
  const came = {
    printed: [] as string[],
    exits: [] as string[],
    left: [] as string[],
    broken: [] as string[],
    ends: [] as string[],
  };
  for (const [index, call] of calls.entries()) {
    const ended = await carryOut(call, scene, checkout);
    came.printed.push(tellingLine(ended, call.promised));
    came.exits.push(String(ended.exit ?? "none"));
    came.left.push(...leftBy(ended, call));
    const which = calls.length === 1 ? "" : `call ${index + 1}: `;
    const broken = brokenPromises(ended, call, scene);
    came.broken.push(...broken.map((promise) => `${which}${promise}`));
    if (broken.length > 0) came.ends.push(endOf(ended));
  }
  return came;
}

function callsOf(abuse: Abuse): readonly Call[] {
  return [abuse, ...(abuse.afterwards ?? [])];
}

const NOTHING_CAME = { printed: [], exits: [], kept: "", left: [], broken: [], ends: [] };

/** A call as it would be typed, without npm. */
function lineOf({ command, shell = CALLED }: Call): string {
  return shell.replace(CALLED, () => command.join(" "));
}
const CALLED = '"$@"';

function leftBy({ left, stdout }: Ended, { inTerminal }: Call): string[] {
  const processes = left.map(({ command }) => `process ${command}`);
  return inTerminal ? [...processes, ...terminalFaults(stdout)] : processes;
}

/** Files where there should be none. */
function strayFiles({ folder, out, planted, temporary, home }: Scene): string[] {
  const beside = readdirSync(folder).filter((name) => !planted.has(name) && join(folder, name) !== out);
  return [
    ...beside.map((name) => `file ${name}`),
    ...readdirSync(temporary).map((name) => `temporary file ${name}`),
    ...readdirSync(home).map((name) => `file ${name} in the person's home`),
  ];
}

/** What is new in the checkout: of the abuses that take place at a time any may have left it. */
function grown(checkout: string, before: ReadonlySet<string>): string[] {
  return [...differencesOf(checkout)]
    .filter((line) => !before.has(line))
    .map((line) => `in the checkout ${line}`);
}

/** The last lines of each stream. */
function endOf({ stdout, stderr }: Ended): string {
  const lines = [stdout, stderr].flatMap((text) => text.trimEnd().split("\n").slice(-LINES_SHOWN));
  return lines.map(visible).join("\n").trim();
}

const LINES_SHOWN = 20;

/** The printed line that the promise is about, else the last one. */
function tellingLine({ stdout, stderr }: Ended, { says }: Promised): string {
  const text = `${stdout}\n${stderr}`.trim();
  const found = says === undefined ? -1 : text.search(says);
  const begin = text.lastIndexOf("\n", found === -1 ? text.length : found) + 1;
  return visible(text.slice(begin).split("\n", 1)[0]!).trim();
}
