import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { killProcess } from "../../shared/processes.ts";
import type { Answer, CollectorSetup, Held, Order, Report } from "./orders.ts";

/**
 * Starts collectors and drives them through one history. They run on their own; the cluster says how far they may go,
 * kills them and has them come back. A collector that is away is not waited for; what would have come to it is lost.
 */
export interface ClusterPlan extends Omit<CollectorSetup, "node" | "plan" | "firstStep"> {
  readonly plan: Omit<CollectorSetup["plan"], "workload">;
  /** Files, by node. */
  readonly workloads: readonly string[];
}

/** A stretch of steps that one collector sent, from its beginning to what was acknowledged of it. */
export interface Acknowledged {
  readonly node: number;
  readonly from: number;
  readonly before: number;
}

export class Cluster {
  readonly #plan: ClusterPlan;
  readonly #members: Member[] = [];
  /** Of the collectors that have gone. */
  readonly #acknowledged: Acknowledged[] = [];
  #step = 0;

  private constructor(plan: ClusterPlan) {
    this.#plan = plan;
  }

  static async start(plan: ClusterPlan): Promise<Cluster> {
    const cluster = new Cluster(plan);
    try {
      await Promise.all(plan.workloads.map((_, node) => cluster.#start(node)));
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  get step(): number {
    return this.#step;
  }

  /** All that are there go on to a step, in pace with each other. */
  async runTo(step: number): Promise<void> {
    this.#step = step;
    const runners = this.#there();
    this.#go(step, runners);
    await Promise.all(runners.map((member) => member.reached(step)));
  }

  /** All go on to a step, without waiting: where they cannot hear each other. */
  async runApart(step: number): Promise<void> {
    this.#step = step;
    for (const member of this.#there()) member.send({ kind: "go", before: step, peers: [] });
    await Promise.all(this.#there().map((member) => member.reached(step)));
  }

  /**
   * Kills a collector when it has come to a step, while all are on their way to a later one. The others go on without it
   * once it has ended.
   */
  async killAt(node: number, step: number, before: number): Promise<void> {
    const victim = this.#members[node]!;
    this.#step = before;
    this.#go(before, this.#there());
    await victim.passed(step);
    await this.kill(node);
    await this.runTo(before);
  }

  /** As kill -9 does. */
  async kill(node: number): Promise<void> {
    const member = this.#members[node]!;
    await member.kill();
    this.#acknowledged.push(acknowledgedBy(member));
  }

  /** A collector that knows nothing comes to the place of a killed one, and hears what was kept. */
  async revive(node: number): Promise<void> {
    await this.#start(node);
  }

  /** Of all processes that it has started and not ended. */
  get pids(): readonly number[] {
    return this.#there().flatMap(({ pid }) => pid ?? []);
  }

  /** Resolves when all messages are acknowledged and heard. */
  async settle(): Promise<void> {
    const there = this.#there();
    // Once so that all is acknowledged; then all of that is on its way, and heard before a second answer.
    for (let turn = 0; turn < 2; turn++)
      await Promise.all(there.map((member) => member.ask({ kind: "settle" }, "settled")));
  }

  /** What the present collectors know. */
  async holdings(): Promise<readonly Held[]> {
    return Promise.all(this.#there().map((member) => member.ask({ kind: "hold" }, "held")));
  }

  get acknowledged(): readonly Acknowledged[] {
    return [...this.#acknowledged, ...this.#there().map(acknowledgedBy)];
  }

  /** Ends the run, and returns what each present collector reports. */
  async end(): Promise<Report[]> {
    const answers = await Promise.all(this.#there().map((member) => member.ask({ kind: "end" }, "ended")));
    await this.stop();
    return answers.map(({ report }) => report);
  }

  /** Ends all processes, whatever they do. */
  async stop(): Promise<void> {
    await Promise.all(this.#there().map((member) => member.kill()));
  }

  async #start(node: number): Promise<void> {
    const { workloads, plan, ...common } = this.#plan;
    const workload = workloads[node]!;
    const firstStep = this.#step;
    const setup = { ...common, node, firstStep, plan: { ...plan, workload } };
    const member = new Member(node, firstStep, startProcess());
    this.#members[node] = member;
    await member.ask({ kind: "begin", setup }, "ready");
  }

  #there(): Member[] {
    return this.#members.filter((member) => member?.isThere);
  }

  #go(before: number, runners: readonly Member[]): void {
    for (const { node, send } of runners) {
      const peers = runners.flatMap((runner) => (runner.node === node ? [] : [runner.node]));
      send({ kind: "go", before, peers });
    }
  }
}

function acknowledgedBy({ node, firstStep, acknowledgedBefore }: Member): Acknowledged {
  return { node, from: firstStep, before: acknowledgedBefore };
}

/** A collector's process. */
interface Host {
  readonly pid: number | undefined;
  send(order: Order): void;
  hear(heard: (answer: Answer) => void, ended: (reason: string) => void): void;
  kill(): Promise<unknown>;
}

type AnswerOf<Kind extends Answer["kind"]> = Extract<Answer, { kind: Kind }>;

class Member {
  readonly node: number;
  readonly firstStep: number;
  isThere = true;
  acknowledgedBefore: number;
  readonly #host: Host;
  #step: number;
  #failure: Error | undefined;
  #heard: Answer | undefined;
  #changed = Promise.withResolvers<void>();

  constructor(node: number, firstStep: number, host: Host) {
    this.node = node;
    this.firstStep = firstStep;
    this.#step = firstStep;
    this.acknowledgedBefore = firstStep;
    this.#host = host;
    host.hear(
      (answer) => this.#hear(answer),
      (reason) => this.#fail(reason),
    );
  }

  get pid(): number | undefined {
    return this.#host.pid;
  }

  readonly send = (order: Order): void => this.#host.send(order);

  async ask<Kind extends Answer["kind"]>(order: Order, kind: Kind): Promise<AnswerOf<Kind>> {
    this.#heard = undefined;
    this.send(order);
    await this.#until(() => this.#heard?.kind === kind);
    return this.#heard as unknown as AnswerOf<Kind>;
  }

  reached(step: number): Promise<void> {
    return this.#until(() => this.#step === step);
  }

  passed(step: number): Promise<void> {
    return this.#until(() => this.#step >= step);
  }

  async kill(): Promise<void> {
    this.isThere = false;
    await this.#host.kill();
    this.#change();
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if (this.#failure !== undefined) throw this.#failure;
      if (!this.isThere) return;
      await this.#changed.promise;
    }
  }

  #hear(answer: Answer): void {
    if (answer.kind === "failed") {
      this.#fail(answer.reason);
      return;
    }
    if (answer.kind === "at" || answer.kind === "settled")
      this.acknowledgedBefore = answer.acknowledgedBefore;
    if (answer.kind === "at") this.#step = answer.step;
    else this.#heard = answer;
    this.#change();
  }

  #fail(reason: string): void {
    if (!this.isThere) return;
    this.#failure ??= new Error(`collector ${this.node}: ${reason}`);
    this.#change();
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

const WORKER = new URL("./collector.worker.ts", import.meta.url);

function startProcess(): Host {
  const child = fork(fileURLToPath(WORKER), {
    serialization: "advanced",
    // Stdout belongs to records and tables.
    stdio: ["ignore", 2, 2, "ipc"],
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  return {
    pid: child.pid,
    send: (order) => child.send(order, () => {}),
    hear(heard, ended) {
      child.on("message", heard).on("error", ({ message }) => ended(message));
      child.on("close", (code, signal) => ended(`its process ended with ${signal ?? `code ${code}`}`));
    },
    kill: () => killProcess(child),
  };
}
