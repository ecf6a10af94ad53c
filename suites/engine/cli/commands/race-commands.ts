import { randomInt } from "node:crypto";
import { judgeScenario } from "../../judge/judge.ts";
import { undecided } from "../../judge/undecided.ts";
import { isLook, LOOKS } from "../../judge/verdict.ts";
import { writeWhole } from "../../measure/machine/write-whole.ts";
import { AA_CONTROLS } from "../../measure/plan/crews.ts";
import { roundOrders } from "../../measure/plan/rounds.ts";
import { FEWEST_FORKS } from "../../measure/plan/timing.ts";
import { plainLine } from "../../schema/lines.ts";
import { sum } from "../../statistics.ts";
import { progressLine, readableTime } from "../../table/progress.ts";
import { derivedSeed } from "../../words/random.ts";
import type { CommandRequest } from "../arguments.ts";
import { type Output, profileOf, refuseUnwritable } from "../race-files.ts";
import { emptyReport } from "../report.ts";
import { textOptionsFor } from "../report-text.ts";
import { counted, EXIT, UsageError } from "../usage.ts";
import { type Block, type CommandTurn, groupOf, roundsIn, turnsOf } from "./blocks.ts";
import { type Execute, type Execution, executor } from "./execution.ts";
import { commandsMarkdown, commandsText, reportedCommands } from "./table.ts";

/** Time for each command where none is given, in ms: what is decided sooner ends sooner. */
const USUAL_MS = 30_000;
const QUICK_MS = 10_000;
/** Blocks of a command that is compared with no other, as many as a lone task has processes. */
const LONE_BLOCKS = 8;

/**
 * Races commands, in turns, and prints one table. Returns an exit code. Throws a UsageError, before they race, where the budget is
 * too small, and an Error with one line that names a command which failed.
 */
export async function raceCommands(
  request: CommandRequest,
  output: Output,
  execute: Execute = executor(),
): Promise<number> {
  const { out, err, signal, startedMs, tool } = output;
  for (const path of [request.json, request.markdown]) if (path !== undefined) refuseUnwritable(path);
  const seed = request.seed ?? randomInt(2 ** 32);
  const live = progressLine(err);
  const run = inTurns(request, execute, signal);
  try {
    const turns = turnsOf(request.commands);
    live.show(0, undefined, "warming up");
    const roundMs = await warmedUp(turns, request, run);
    const plan = planOf(roundMs, request, startedMs);
    live.clear();
    err.write(`${plan.announcement}\n`);
    const blocks = await raceBlocks(
      turns,
      { ...plan, seed, precision: profileOf(request).precision },
      (block) => {
        const leftMs = Math.max(0, plan.endMs - performance.now());
        live.show(Math.max(block / plan.blocks, 1 - leftMs / plan.wholeMs), leftMs, `block ${block + 1}`);
        return run;
      },
    );
    live.clear();
    const raced = reportedCommands(request.commands, judgeScenario([groupOf(turns, blocks)]), blocks);
    const report = { ...emptyReport(tool, seed), commands: raced };
    const json = `${JSON.stringify(report, undefined, 2)}\n`;
    if (request.json === "-") out.write(json);
    else out.write(`${commandsText(raced, textOptionsFor(out))}\nSeed ${seed}.\n`);
    if (request.json !== undefined && request.json !== "-") writeWhole(request.json, json);
    if (request.markdown !== undefined) writeWhole(request.markdown, commandsMarkdown(raced));
    return EXIT.ok;
  } catch (error) {
    live.clear();
    if (!signal.aborted) throw error;
    err.write("interrupted: nothing was written\n");
    return EXIT.interrupted;
  }
}

/** Executes a command after what prepares it. Throws where either fails, unless failures are to be ignored, and when interrupted. */
type Run = (command: string, when: string) => Promise<Execution>;

function inTurns({ prepare, ignoresFailure }: CommandRequest, execute: Execute, signal: AbortSignal): Run {
  const checked = async (command: string, when: string, hint: string) => {
    const execution = await execute(command, signal);
    signal.throwIfAborted();
    if (execution.failure !== undefined && hint !== "")
      throw new Error(plainLine(`${command}: ${execution.failure}, ${when}; ${hint}`));
    return execution;
  };
  return async (command, when) => {
    if (prepare !== undefined) await checked(prepare, "to prepare an execution", "nothing can race after it");
    return checked(command, when, ignoresFailure ? "" : "--ignore-failure races on");
  };
}

/** Returns what a round takes, in ms, by the last execution of each; what prepares them counts, and is not in the race. */
async function warmedUp(
  turns: readonly CommandTurn[],
  { warmUps }: CommandRequest,
  run: Run,
): Promise<number> {
  const turnMs = new Map<string, number>();
  for (let warmUp = 0; warmUp < warmUps; warmUp++)
    for (const { command } of turns.filter(({ kind }) => kind !== "aa-control")) {
      const begunMs = performance.now();
      const { wallNs } = await run(command, "while warming up");
      turnMs.set(command, Math.max(wallNs / 1e6, performance.now() - begunMs));
    }
  return sum(turns.map(({ command }) => turnMs.get(command)!));
}

interface CommandPlan {
  readonly rounds: number;
  /** At most. */
  readonly blocks: number;
  /** For the race, in ms. */
  readonly wholeMs: number;
  /** By this process's clock. */
  readonly endMs: number;
  readonly announcement: string;
}

function planOf(
  roundMs: number,
  { commands, budgetMs, isQuick }: CommandRequest,
  startedMs: number,
): CommandPlan {
  const rounds = roundsIn(roundMs);
  const what = counted(commands.length, "command");
  const leastMs = FEWEST_FORKS * rounds * roundMs;
  const beforeMs = performance.now() - startedMs;
  if (budgetMs !== undefined && beforeMs + leastMs > budgetMs)
    throw new UsageError(
      `${what} cannot race in less than ${readableTime(beforeMs + leastMs)}, and --budget is ${readableTime(budgetMs)}: give --budget ${Math.ceil((1.1 * (beforeMs + leastMs)) / 1000)}s`,
    );
  const usualMs = Math.max(leastMs, commands.length * (isQuick ? QUICK_MS : USUAL_MS));
  const wholeMs = budgetMs === undefined ? usualMs : budgetMs - beforeMs;
  const blocks = commands.length === 1 ? LONE_BLOCKS : LOOKS.at(-1)!;
  return {
    rounds,
    blocks,
    wholeMs,
    endMs: performance.now() + wholeMs,
    announcement: `${what}: up to ${readableTime(Math.min(wholeMs, blocks * rounds * roundMs))}`,
  };
}

/** Races block after block until each row is decided, or no other fits into the time. */
async function raceBlocks(
  turns: readonly CommandTurn[],
  plan: Pick<CommandPlan, "rounds" | "blocks" | "endMs"> & {
    readonly seed: number;
    readonly precision: number;
  },
  runIn: (block: number) => Run,
): Promise<Block[]> {
  const rivals = turns.filter(({ kind }) => kind === "rival").length;
  const blocks: Block[] = [];
  let longestMs = 0;
  while (blocks.length < plan.blocks) {
    const begunMs = performance.now();
    if (blocks.length >= FEWEST_FORKS && begunMs + longestMs > plan.endMs) break;
    const run = runIn(blocks.length);
    const block = turns.map((): Execution[] => []);
    for (const order of roundOrders(turns, plan.rounds, derivedSeed(plan.seed, blocks.length)))
      for (const place of order) block[place]!.push(await run(turns[place]!.command, "while racing"));
    blocks.push(block);
    longestMs = Math.max(longestMs, performance.now() - begunMs);
    if (rivals === 0 || !isLook(blocks.length)) continue;
    if (undecided([groupOf(turns, blocks)], rivals + AA_CONTROLS, plan.precision).size === 0) break;
  }
  return blocks;
}
