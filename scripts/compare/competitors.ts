import { copyFileSync, cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Trees } from "../../suites/engine/cli/commits/dependencies.ts";
import type { BothCommits, ListedPairs, Named, Sides } from "../../suites/engine/cli/commits/race-commits.ts";
import type { Worktrees } from "../../suites/engine/cli/commits/worktrees.ts";
import type { GroupPlan } from "../../suites/engine/measure/plan/plan.ts";
import { orUsageError, UsageError } from "../../suites/lab/command/usage.ts";
import { moduleUrlOf, type Request } from "../../suites/lab/plan/asked.ts";
import { checkFilters } from "../../suites/lab/request.ts";
import { describeCompetitors } from "../../suites/lab/suites.ts";
import { FILE, seenInGroup } from "./judge.ts";
import { groupOf, type Selection, selectPairs } from "./plan.ts";
import type { Recording } from "./recording.ts";
import {
  competitorsOfSide,
  differencesOfContracts,
  filesFromLab,
  fingerprintOf,
  packageDifferences,
  type Side,
} from "./side.ts";

/** What both sides are asked for. */
export type Asked = Omit<Request, "described" | "competitors">;

export interface CompetitorsOptions {
  readonly asked: Asked;
  /** Begins to record, by the request of the head. */
  record(request: Request): Recording;
  /** Called when a run is interrupted. */
  stop(): void;
}

interface Pair extends Named {
  readonly group: GroupPlan;
}

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const LAB: Side = { name: "working-tree", root: ROOT };

/** The lab's competitors as sides of a comparison of two commits, by the suites and the engine of the working tree. */
export function sidesOfCompetitors(options: CompetitorsOptions): Sides<Pair> {
  let names = { base: "", head: "" };
  let recording: Recording | undefined;
  return {
    counting: [".", ":!results"],
    mayBeOne: options.asked.filters.length > 0,
    async checkOut(worktrees, commits) {
      names = namesOf(commits);
      return checkOut(worktrees, commits);
    },
    async list({ base, head }) {
      const sides = { base: { name: names.base, root: base }, head: { name: names.head, root: head } };
      const { request, selection, remarks } = await selected(sides, options);
      recording = options.record(request);
      return listed(selection, remarks, names, request);
    },
    async race({ group }, turn) {
      const raced = await recording!.race(group, turn, options.stop);
      return raced === undefined
        ? [{ verdict: "not raced", processes: 0, reason: "it was interrupted" }]
        : seenInGroup(raced);
    },
  };
}

function namesOf({ base, head, isTree }: BothCommits) {
  return { base: base.short, head: isTree ? LAB.name : head.short };
}

/**
 * The lab's folder of each. The working tree's structures are copied, because every fork imports anew: a user who goes on editing
 * would race two states of the tree as one. Also because the suites import bricks from the tree itself. Code that shared them
 * would share what the compiler learnt of them, and the other side would not.
 */
function checkOut(worktrees: Worktrees, { base, head, isTree }: BothCommits): Trees {
  const { repository, folder } = worktrees;
  const worktree = (name: string, hash: string) => join(worktrees.add(name, hash), repository.prefix);
  const trees = {
    base: worktree("base", base.hash),
    head: isTree ? join(folder, "head") : worktree("head", head.hash),
  };
  if (isTree) {
    mkdirSync(trees.head);
    cpSync(join(repository.root, "structures"), join(trees.head, "structures"), { recursive: true });
    copyFileSync(join(repository.root, "package.json"), join(trees.head, "package.json"));
  }
  for (const tree of [trees.base, trees.head])
    symlinkSync(join(repository.root, "node_modules"), join(tree, "node_modules"), "junction");
  return trees;
}

interface BothSides {
  readonly base: Side;
  readonly head: Side;
}

/** Which cells race. Throws a UsageError where the two sides cannot be compared. */
async function selected({ base, head }: BothSides, { asked }: CompetitorsOptions) {
  const request = await requestFor(head, asked);
  const before = await requestFor(base, asked);
  if (asked.filters.length > 0) orUsageError(() => checkFilters(request));
  const selection = orUsageError(() =>
    selectPairs(before, request, (one, other) => fingerprintOf(base, one) !== fingerprintOf(head, other)),
  );
  const primitives = new Set(selection.pairs.map(({ cell }) => cell.suite.suite.primitive));
  const differences = differencesOfContracts(primitives, [base, head, LAB]);
  const { pairs, unchanged, added, removed } = selection;
  if ([pairs, unchanged, added, removed].every(({ length }) => length === 0)) {
    throw new UsageError(
      "the request has no race that can run here (simulations and surveys are not compared; npm run bench runs them)",
    );
  }
  const remarks = differences.map((line) => `${line}: one suite may not be able to drive both`);
  return { request, selection, remarks: [...remarks, ...remarksOn(selection, base, head)] };
}

async function requestFor(side: Side, asked: Asked): Promise<Request> {
  const competitors = competitorsOfSide(side);
  const { suites, filters, size } = asked;
  const described = await describeCompetitors(
    suites,
    (primitive) => competitors.get(primitive) ?? [],
    filters,
    size,
  );
  return { ...asked, competitors, described };
}

/** Competitors, or packages, that a line names. */
const MOST_NAMED = 6;

/** What is not in the table, and what the two sides share though they did not when they were written. */
function remarksOn({ pairs, unraced }: Selection, base: Side, head: Side): string[] {
  const suites = new Set(pairs.map(({ cell }) => moduleUrlOf(cell.suite, cell.scenario.scenario)));
  const brought = filesFromLab(suites, LAB, [base, head]);
  const moved = [...new Set([...packageDifferences(base, head), ...packageDifferences(head, LAB)])];
  const lines: readonly [named: readonly string[], line: string][] = [
    [unraced, `changed, but in no headline race (a FILTER or --all may name others): ${firstOf(unraced)}`],
    [moved, `package.json differs (${firstOf(moved)}): both ran with the working tree's packages`],
    [brought, `the suites use files that differ, and for both sides the working tree's: ${firstOf(brought)}`],
  ];
  return lines.filter(([named]) => named.length > 0).map(([, line]) => line);
}

/** As many as a line has room for, and how many more there are. */
function firstOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return `${names.slice(0, MOST_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function listed(
  { pairs, unchanged, added, removed }: Selection,
  remarks: readonly string[],
  names: { readonly base: string; readonly head: string },
  request: Request,
): ListedPairs<Pair> {
  const rowsOf = (tasks: readonly string[], verdict: string) =>
    tasks.map((task) => ({ file: FILE, task, verdict }));
  return {
    files: [],
    pairs: pairs.map((pair) => ({
      file: FILE,
      task: pair.cell.name,
      group: groupOf(pair, names, request),
    })),
    rows: [...rowsOf(unchanged, "unchanged"), ...rowsOf(added, "new"), ...rowsOf(removed, "gone")],
    refused: [],
    remarks,
    loaded: new Set(),
  };
}
