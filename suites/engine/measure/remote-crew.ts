import { type ChildProcess, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { MeasureOrder, RacedCrew } from "./crew.ts";
import { failedCrew } from "./failed-crew.ts";
import { makePipe, readFrame, writeFrame } from "./pipe.ts";
import type { CrewPlan, HostPlan } from "./plan.ts";
import { howItEnded } from "./process.ts";
import type { CrewResult, Failure, HostAnswer, HostFault, HostOrder, RaceJob } from "./protocol.ts";

/**
 * Crews that run in processes of other runtimes, seen from the fork that gives out the slices. A fork and a crew host
 * exchange an order and an answer for each slice, both asleep while they wait, so that slices of different runtimes follow
 * one another as closely as those of one process but for that exchange.
 */

/** The process of a fork's first crew, which all others refer to, is gone: there is nothing left to race. */
export class BaselineLost extends Error {}

/** A crew host as its fork sees it. */
export class CrewHost {
  readonly pid: number | undefined;
  readonly #child: ChildProcess;
  readonly #orders: number;
  readonly #answers: number;
  /** Settles with how the process ended. */
  readonly #ended: Promise<string>;
  readonly #isBaselines: boolean;
  #lost: Failure | undefined;

  /** Starts it, with its part of a job. What goes wrong with that it tells when it is asked for the first time. */
  constructor({ start }: HostPlan, job: RaceJob, isBaselines: boolean) {
    this.#isBaselines = isBaselines;
    const [orders, answers] = [makePipe(), makePipe()];
    // Whatever a competitor prints goes to our stderr, as in a fork.
    this.#child = spawn(start.file, [...start.args, PROGRAM], {
      stdio: ["ignore", 2, 2, orders.readFd, answers.writeFd],
    });
    this.pid = this.#child.pid;
    // Had we these ends too, a process that is gone would not close its pipes.
    closeSync(orders.readFd);
    closeSync(answers.writeFd);
    [this.#orders, this.#answers] = [orders.writeFd, answers.readFd];
    this.#ended = new Promise((resolve) => {
      this.#child.once("error", (error: NodeJS.ErrnoException) =>
        resolve(`its process did not start (${error.code})`),
      );
      this.#child.once("exit", (code, killedBy) => resolve(howItEnded(code, killedBy)));
    });
    try {
      writeFrame(this.#orders, job);
    } catch {
      // The first order will find it gone.
    }
  }

  /** Blocks the thread until it has answered. Where it ends instead, the answer is that. */
  async ask(order: HostOrder): Promise<HostAnswer> {
    if (this.#lost === undefined) {
      const answer = this.#exchange(order);
      if (answer !== undefined && !("fault" in answer)) return answer;
      // It has closed its pipe, or is of no more use.
      this.end();
      this.#lost = { kind: "fault", reason: answer?.fault ?? (await this.#ended) };
      if (this.#isBaselines) throw new BaselineLost(this.#lost.reason);
    }
    return { failure: this.#lost };
  }

  end(): void {
    this.#child.kill("SIGKILL");
  }

  #exchange(order: HostOrder): HostAnswer | HostFault | undefined {
    try {
      writeFrame(this.#orders, order);
      return readFrame(this.#answers) as HostAnswer | HostFault | undefined;
    } catch {
      return undefined;
    }
  }
}

const PROGRAM = fileURLToPath(new URL("./crew-host.ts", import.meta.url));

/** One crew of a crew host. */
export class RemoteCrew implements RacedCrew {
  readonly #plan: CrewPlan;
  readonly #host: CrewHost;
  /** Its place among the host's crews. */
  readonly #crew: number;
  #failure: Failure | undefined;
  #kernelThreads: readonly (number | undefined)[] = [];
  readonly workers: readonly { readonly tagNs: number[] }[];

  constructor(plan: CrewPlan, host: CrewHost, crew: number) {
    this.#plan = plan;
    this.#host = host;
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

  async measure(turn: number, order: MeasureOrder): Promise<void> {
    if (this.failed) return;
    const { tagNs = [] } = await this.#ask({ kind: "measure", turn, order });
    for (const [worker, ns] of tagNs.entries()) this.workers[worker]!.tagNs.push(ns);
  }

  async result(): Promise<CrewResult> {
    const { result } = await this.#ask({ kind: "result" });
    return result ?? failedCrew(this.#plan, this.#failure!);
  }

  async #ask(order: Order): Promise<HostAnswer> {
    const answer = await this.#host.ask({ ...order, crew: this.#crew });
    this.#failure ??= answer.failure;
    return answer;
  }
}

/** An order that does not say yet to which crew. */
type Order = HostOrder extends infer Whole ? (Whole extends HostOrder ? Omit<Whole, "crew"> : never) : never;

/** The crew hosts of a job, by name, and its crews that run there. */
export function remoteCrews(job: RaceJob): {
  readonly hosts: readonly CrewHost[];
  readonly crews: ReadonlyMap<CrewPlan, RacedCrew>;
} {
  const planned = job.group.crews.filter(({ host }) => host !== undefined);
  const baselines = job.group.crews[0]?.host?.name;
  const crews = new Map<CrewPlan, RacedCrew>();
  const hosts = [...Map.groupBy(planned, ({ host }) => host!.name)].map(([name, own]) => {
    const part = { ...job, group: { ...job.group, crews: own } };
    const host = new CrewHost(own[0]!.host!, part, name === baselines);
    for (const [index, plan] of own.entries()) crews.set(plan, new RemoteCrew(plan, host, index));
    return host;
  });
  return { hosts, crews };
}
