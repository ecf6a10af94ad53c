import { type ChildProcess, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { RacedCrew, StartRemote } from "../fork/crew.ts";
import { howItEnded } from "../machine/process-status.ts";
import { withScratch } from "../machine/scratch.ts";
import { BaselineLost, failedCrew, InstrumentBroken } from "../plan/failures.ts";
import type { CrewPlan, RemotePlan } from "../plan/plan.ts";
import type { CrewResult, Failure, MeasureOrder, RaceJob } from "../plan/protocol.ts";
import type { RemoteAnswer, RemoteFault, RemoteOrder } from "./orders.ts";
import { makePipes, type Pipe, readFrame, writeFrame } from "./pipe.ts";

/**
 * Crews that run in processes of other runtimes, seen from the fork that gives out the slices. A fork and a remote process
 * exchange an order and an answer for each slice, both asleep while they wait. Slices of different runtimes follow one
 * another as closely as those of one process but for that exchange. It takes 12 to 15 us, and 40 to 120 with the wakes
 * between two slices.
 *
 * A remote process that is silent blocks its fork, and is lost with it when the run loses patience. It ends when its fork does.
 */

/** A remote process as its fork sees it. */
export class RemoteProcess {
  readonly #child: ChildProcess | undefined;
  readonly #orders: number;
  readonly #answers: number;
  /** Settles with how the process ended. */
  readonly #ended: Promise<string>;
  readonly #isBaselines: boolean;
  #lost: Failure | undefined;

  /** Starts it, with its part of a job. It reports what goes wrong with that when it is asked for the first time. */
  constructor(
    { start, runtime }: RemotePlan,
    job: RaceJob,
    [orders, answers]: readonly [Pipe, Pipe],
    isBaselines: boolean,
  ) {
    this.#isBaselines = isBaselines;
    const { promise: ended, resolve: end } = Promise.withResolvers<string>();
    this.#ended = ended;
    const notStarted = (error: unknown) =>
      end(`its runtime ${runtime} did not start (${(error as NodeJS.ErrnoException).code})`);
    try {
      // Whatever a competitor prints goes to our stderr, as in a fork.
      this.#child = spawn(start.file, [...start.args, PROGRAM], {
        stdio: ["ignore", 2, 2, orders.readFd, answers.writeFd],
      })
        .once("error", notStarted)
        .once("close", (code, killedBy) => end(howItEnded(code, killedBy)));
    } catch (error) {
      // Of a file that is no program Node says so at once.
      notStarted(error);
    }
    // Had we these ends too, a process that is gone would not close its pipes.
    closeSync(orders.readFd);
    closeSync(answers.writeFd);
    [this.#orders, this.#answers] = [orders.writeFd, answers.readFd];
    this.#send(job);
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Blocks the thread until it has answered. Where it ends instead, the answer is that. */
  async ask(order: RemoteOrder): Promise<RemoteAnswer> {
    if (this.#lost === undefined) {
      this.#send(order);
      const answer = this.#hear();
      if (answer !== undefined && !("fault" in answer)) return answer;
      // It has closed its pipe, or is of no more use.
      const ended = await this.end();
      if (answer?.isInstruments) throw new InstrumentBroken(answer.fault);
      this.#lost = { kind: "fault", reason: answer?.fault ?? ended };
      if (this.#isBaselines) throw new BaselineLost(this.#lost.reason);
    }
    return { failure: this.#lost };
  }

  /** Kills it. Resolves with how it ended, when the kernel counts its CPU time among that of the fork. */
  end(): Promise<string> {
    this.#child?.kill("SIGKILL");
    return this.#ended;
  }

  #send(message: RaceJob | RemoteOrder): void {
    try {
      writeFrame(this.#orders, message);
    } catch {
      // It reads no more. It may have said the reason before; otherwise its end will show it.
    }
  }

  #hear(): RemoteAnswer | RemoteFault | undefined {
    try {
      return readFrame(this.#answers) as RemoteAnswer | RemoteFault | undefined;
    } catch {
      return undefined;
    }
  }
}
// A competitor may import this module, too.
Object.freeze(RemoteProcess.prototype);

const PROGRAM = fileURLToPath(new URL("./remote-process.ts", import.meta.url));

/** One crew of a remote process. */
export class RemoteCrew implements RacedCrew {
  readonly #plan: CrewPlan;
  readonly #process: RemoteProcess;
  /** Its place among the crews of the process. */
  readonly #crew: number;
  #failure: Failure | undefined;
  #kernelThreads: readonly (number | undefined)[] = [];
  readonly workers: readonly { readonly tagNs: number[] }[];

  constructor(plan: CrewPlan, process: RemoteProcess, crew: number) {
    this.#plan = plan;
    this.#process = process;
    this.#crew = crew;
    this.workers = Array.from({ length: plan.workers }, () => ({ tagNs: [] }));
  }

  get failure(): Failure | undefined {
    return this.#failure;
  }

  get failed(): boolean {
    return this.#failure !== undefined;
  }

  get kernelThreads(): readonly (number | undefined)[] {
    return this.#kernelThreads;
  }

  async start(): Promise<void> {
    const { kernelThreads = [] } = await this.#ask({ kind: "start" });
    this.#kernelThreads = kernelThreads.map((thread) => thread ?? undefined);
  }

  async attach(): Promise<void> {
    if (!this.failed) await this.#ask({ kind: "attach" });
  }

  async warmUp(): Promise<void> {
    if (!this.failed) await this.#ask({ kind: "warm-up" });
  }

  async measure(round: number, order: MeasureOrder): Promise<void> {
    if (this.failed) return;
    const { tagNs = [] } = await this.#ask({ kind: "measure", round, order });
    for (const [worker, ns] of tagNs.entries()) this.workers[worker]!.tagNs.push(ns);
  }

  async result(): Promise<CrewResult> {
    const { result } = await this.#ask({ kind: "result" });
    return result ?? failedCrew(this.#plan, this.#failure!);
  }

  async #ask(order: Order): Promise<RemoteAnswer> {
    const answer = await this.#process.ask({ ...order, crew: this.#crew });
    this.#failure ??= answer.failure;
    return answer;
  }
}
// A competitor may import this module, too.
Object.freeze(RemoteCrew.prototype);

/** An order that does not say yet to which crew. */
type Order = RemoteOrder extends infer Whole
  ? Whole extends RemoteOrder
    ? Omit<Whole, "crew">
    : never
  : never;

/** Starts the remote processes of a job; their crews come with them. */
export default (async (job) => {
  const planned = job.group.crews.filter(({ remote }) => remote !== undefined);
  const byProcess = [...Map.groupBy(planned, ({ remote }) => remote!.name).values()];
  return await withScratch("pipes", async (folder) => {
    const pipes = makePipes(folder, 2 * byProcess.length);
    const baselines = job.group.crews[0]!.remote?.name;
    const crews = new Map<CrewPlan, RacedCrew>();
    const processes = byProcess.map((own, index) => {
      const { remote: plan } = own[0]!;
      // The program is the fork's: another runtime strips types in its own way.
      const part = { ...job, program: undefined, group: { ...job.group, crews: own } };
      const [orders, answers] = pipes.slice(2 * index) as [Pipe, Pipe];
      const process = new RemoteProcess(plan!, part, [orders, answers], plan!.name === baselines);
      for (const [place, crew] of own.entries()) crews.set(crew, new RemoteCrew(crew, process, place));
      return process;
    });
    return { processes, crews };
  });
}) satisfies StartRemote;
