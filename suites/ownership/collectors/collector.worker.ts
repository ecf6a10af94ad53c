import { createHistogram } from "node:perf_hooks";
import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";
import type { ClaimsCompetitor } from "../../../structures/ownership/ownership.contract.ts";
import type { ClaimStream } from "../../../structures/ownership/parts/stream.ts";
import { type ClaimBatch, decode, encode } from "./claim-batch.ts";
import { Collector, digestOf } from "./collector.ts";
import { openNats } from "./nats.ts";
import type { Answer, CollectorSetup, GoOrder, Order } from "./orders.ts";
import { Outbox } from "./outbox.ts";
import type { Transport } from "./transport.ts";
import { openWorkload, readWords } from "./workload.ts";

/**
 * A collector in a process of its own, which does as the run orders. What it knows of its peers comes by
 * the transport alone. Of the run it learns only which nodes to keep pace with, so that simulated time is about the
 * same for all.
 */

/** How far a collector runs ahead of the peers it keeps pace with: the most that a claim comes later than in step. */
const LEAD_STEPS = 2;
/** A batch stays below the megabyte that NATS takes for a message. */
const MOST_CLAIMS = 8192;
/** Between two accounts of how far it is. */
const STEPS_PER_ACCOUNT = 16;
const AGAIN_AFTER_MS = 50;

class Running {
  readonly #setup: CollectorSetup;
  readonly #collector: Collector;
  readonly #transport: Transport;
  readonly #outbox: Outbox;
  /** The last step that each peer has sent completely. */
  readonly #heard: Int32Array;
  readonly #heardAfterUs = createHistogram();
  #step: number;
  #before: number;
  #peers: readonly number[] = [];
  #isAdvancing = false;
  #moved = Promise.withResolvers<void>();
  /** Used while it went from step to step: an audit by the run is no work of a collector. */
  #cpuMs = 0;
  #wallMs = 0;
  #mostBytes: number | undefined;
  /** Since when messages may have been missed. */
  #missedSinceMs = Number.POSITIVE_INFINITY;
  #caughtUp = Promise.resolve();
  readonly #counts = { sent: 0, heard: 0, replayed: 0, unreadable: 0, returns: 0, bytes: 0, claims: 0 };

  constructor(setup: CollectorSetup, collector: Collector, transport: Transport) {
    this.#setup = setup;
    this.#collector = collector;
    this.#transport = transport;
    this.#outbox = new Outbox(transport);
    // It waits for nothing that was sent before its time.
    this.#heard = new Int32Array(setup.nodes).fill(setup.firstStep - 1);
    this.#step = setup.firstStep;
    this.#before = setup.firstStep;
  }

  static async begin(setup: CollectorSetup): Promise<Running> {
    const { competitorUrl, plan } = setup;
    const { default: competitor } = (await import(competitorUrl)) as { default: ClaimsCompetitor };
    const collector = new Collector(competitor, {
      ...plan,
      workload: openWorkload(readWords(plan.workload)),
    });
    if (setup.firstStep > 0) collector.beginAt(setup.firstStep);
    const running = new Running(setup, collector, await openNats(setup.way, setup.node));
    await running.#join();
    return running;
  }

  async #join(): Promise<void> {
    await this.#transport.listen((message) => this.#hear(message));
    this.#transport.onReturn((awaySinceMs) => {
      this.#counts.returns++;
      this.#missedSinceMs = Math.min(this.#missedSinceMs, awaySinceMs);
      this.#caughtUp = this.#catchUp();
    });
    this.#counts.replayed = await this.#transport.replay((message) => this.#hear(message));
    say({ kind: "ready" });
  }

  /** Hears what was kept while the transport was away. If it goes away again, its next return takes that up. */
  async #catchUp(): Promise<void> {
    while (this.#missedSinceMs !== Number.POSITIVE_INFINITY && this.#transport.isThere) {
      const sinceMs = this.#missedSinceMs;
      try {
        this.#counts.replayed += await this.#transport.replay((message) => this.#hear(message), sinceMs);
        if (this.#missedSinceMs === sinceMs) this.#missedSinceMs = Number.POSITIVE_INFINITY;
      } catch {
        // A broker that has just started may be there before what it keeps is.
        await wait(AGAIN_AFTER_MS);
      }
    }
  }

  #hear(message: Uint8Array): void {
    let batch: ClaimBatch;
    try {
      batch = decode(message);
      // What it sent before it restarted is replayed to it, too.
      this.#collector.hear(batch.claims);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#counts.unreadable++;
      return;
    }
    const { from, step, isLast, sentUs } = batch;
    this.#counts.heard++;
    if (from === this.#setup.node) return;
    this.#heardAfterUs.record(Math.max(1, Math.round(nowUs() - sentUs)));
    if (isLast && step > this.#heard[from]!) {
      this.#heard[from] = step;
      this.#move();
    }
  }

  async go({ before, peers }: GoOrder): Promise<void> {
    this.#before = before;
    this.#peers = peers;
    this.#move();
    await this.#advance();
  }

  #move(): void {
    this.#moved.resolve();
    this.#moved = Promise.withResolvers();
  }

  #isAheadBy(steps: number): boolean {
    return this.#peers.some((peer) => this.#heard[peer]! < this.#step - steps);
  }

  async #advance(): Promise<void> {
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    this.#wallMs -= performance.now();
    this.#cpuMs -= cpuMs();
    while (this.#step < this.#before) {
      if (this.#isAheadBy(LEAD_STEPS)) {
        await this.#moved.promise;
        continue;
      }
      this.#publish(this.#collector.claim(this.#step));
      this.#collector.answer(this.#step);
      const { bytes } = this.#collector;
      if (bytes !== undefined) this.#mostBytes = Math.max(this.#mostBytes ?? 0, bytes);
      this.#step++;
      if (this.#step % STEPS_PER_ACCOUNT === 0 || this.#step === this.#before) this.#account();
      await this.#outbox.ready();
      await turn();
    }
    this.#cpuMs += cpuMs();
    this.#wallMs += performance.now();
    this.#isAdvancing = false;
  }

  #account(): void {
    say({ kind: "at", step: this.#step, acknowledgedBefore: this.#outbox.acknowledgedBefore });
  }

  #publish(claims: ClaimStream): void {
    const count = claims.resources.length;
    this.#counts.claims += count;
    for (let first = 0; first === 0 || first < count; first += MOST_CLAIMS) {
      const past = Math.min(count, first + MOST_CLAIMS);
      const isLast = past === count;
      const message = encode({
        from: this.#setup.node,
        step: this.#step,
        isLast,
        sentUs: nowUs(),
        claims: count <= MOST_CLAIMS ? claims : part(claims, first, past),
      });
      this.#counts.bytes += message.length;
      this.#counts.sent++;
      this.#outbox.post(this.#step, message, isLast);
    }
  }

  /** Answers when all that it sent is acknowledged, and all that its peers had acknowledged is heard. */
  async settle(): Promise<void> {
    await this.#outbox.empty();
    await this.#flush();
    while (this.#isAheadBy(1)) await this.#moved.promise;
    say({ kind: "settled", acknowledgedBefore: this.#outbox.acknowledgedBefore });
  }

  async #flush(): Promise<void> {
    for (;;) {
      await this.#caughtUp;
      try {
        await this.#transport.flush();
        return;
      } catch {
        // It went away. When it is there again, all that was missed is heard first.
        await wait(AGAIN_AFTER_MS);
      }
    }
  }

  hold(): void {
    this.#collector.trimAt(this.#step);
    const holdings = this.#collector.holdings();
    say({ kind: "held", holdings, digest: digestOf(holdings) });
  }

  async end(): Promise<void> {
    this.#outbox.close();
    const { sent, heard, replayed, unreadable, returns, bytes, claims } = this.#counts;
    const { repeated, givenUp } = this.#outbox;
    const percentile = (share: number) =>
      this.#heardAfterUs.count === 0 ? 0 : this.#heardAfterUs.percentile(share);
    say({
      kind: "ended",
      report: {
        tally: this.#collector.close(),
        // It may be asked after the last account, before its advance has ended.
        cpuMs: this.#cpuMs + (this.#isAdvancing ? cpuMs() : 0),
        wallMs: this.#wallMs + (this.#isAdvancing ? performance.now() : 0),
        mostBytes: this.#mostBytes,
        sentBytes: bytes,
        sentClaims: claims,
        messages: { sent, heard, replayed, repeated, givenUp, unreadable, returns },
        heardAfterUs: { p50: percentile(50), p99: percentile(99) },
      },
    });
    await this.#transport.close();
  }
}

function part({ resources, owners, starts, ends }: ClaimStream, first: number, past: number): ClaimStream {
  return {
    resources: resources.subarray(first, past),
    owners: owners.subarray(first, past),
    starts: starts.subarray(first, past),
    ends: ends.subarray(first, past),
  };
}

/** All processes of a machine read the same clock. */
function nowUs(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

/** Of the process, with all threads that help it. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function say(answer: Answer): void {
  process.send!(answer, () => {});
}

let running: Promise<Running> | undefined;

async function obey(order: Order): Promise<void> {
  if (order.kind === "begin") {
    running = Running.begin(order.setup);
    await running;
    return;
  }
  const collector = await running!;
  if (order.kind === "go") await collector.go(order);
  else if (order.kind === "settle") await collector.settle();
  else if (order.kind === "hold") collector.hold();
  else await collector.end();
}

function hearOrder(order: Order): void {
  obey(order).catch((error: Error) => say({ kind: "failed", reason: error.message }));
}

process.on("message", hearOrder);
// Ctrl-C reaches the whole process group; the run decides what happens to it.
process.on("SIGINT", () => {});
// Without its run a collector has no one to collect for.
process.once("disconnect", () => process.exit(1));
