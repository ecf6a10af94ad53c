import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it } from "node:test";
import { setTimeout as pass } from "node:timers/promises";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { competitorsOf, loadCompetitors } from "../../structures/catalog.ts";
import { CLOSED } from "../../structures/queues/parts/handles.ts";
import {
  MOST_SENT,
  messagesFor,
  nthOf,
  numberOf,
  producerOf,
  TORN,
} from "../../structures/queues/parts/messages.ts";
import type { QueuesCompetitor } from "../../structures/queues/queues.contract.ts";
import {
  attachReceiver,
  attachSender,
  endsOf,
  makeQueue,
  type QueueInstance,
} from "../../structures/queues/queues.instance.ts";
import { freeSeat } from "../../structures/shared/instance.ts";
import { exitWithThread, THREADS_END_LATE } from "../../structures/shared/late-threads.ts";
import { allocateRegion } from "../../structures/shared/layout.ts";
import { Random } from "../../structures/shared/sfc32.ts";

/**
 * Queues under long streams, and under workers that are terminated at any moment while they send or receive: nothing is
 * lost, doubled or torn but what those were handed. HOTPATH_MESSAGES is how many each queue carries, a million if absent.
 */

interface Shared {
  readonly name: string;
  readonly instance: QueueInstance;
  readonly end: unknown;
  readonly seat: number;
  /** What each producer sends before it closes; any number until `stop` if absent. */
  readonly messages?: number;
  /** Words by producer, each written by its worker alone. */
  readonly begun: Int32Array;
  readonly sent: Int32Array;
  /** Words by consumer. */
  readonly received: Int32Array;
  /** By consumer and producer: which it received last, and one more. */
  readonly last: Int32Array;
  /** Messages that were torn, or came in another order; and whether producers are to close. */
  readonly faults: Int32Array;
  readonly stop: Int32Array;
  /** Words by seat: 1 once its worker has attached. */
  readonly ready: Int32Array;
}

const MESSAGES = Number(process.env.HOTPATH_MESSAGES ?? 1_000_000);
const TERMINATIONS = 300;
const MOST_LIFE_MS = 20;
const LIMIT_MS = 3_600_000;
/** How far producers get ahead of consumers where the queue grows: its memory would end before the messages did. */
const MOST_AHEAD = 4096;
/** Messages of a consumer from one wake-up of such producers to the next. */
const TOLD_EACH = 512;

async function judge(): Promise<void> {
  const competitors = await loadCompetitors<QueuesCompetitor>("queues");
  describe(`queues carry ${MESSAGES} messages each`, () => {
    for (const { name, competitor } of competitors) {
      if (competitor.full === "drops-oldest") continue;
      it(name, { timeout: LIMIT_MS }, async () => {
        const crew = startCrew(name, competitor, MESSAGES);
        await Promise.all(crew.workers.map((worker) => once(worker, "exit")));
        assert.equal(total(crew.shared.received), total(crew.shared.sent));
        assert.equal(total(crew.shared.sent), crew.messages);
        assert.equal(crew.shared.faults[0], 0, "messages were torn, or out of order");
      });
    }
  });
  describe(`queues go on after ${TERMINATIONS} workers were terminated`, () => {
    for (const { name, competitor } of competitors) {
      const { full, share, stoppedSender, stoppedReceiver } = competitor;
      // Nobody knows how many messages gave way, how many were not flushed, and what went with a port.
      if (full === "drops-oldest" || name === "spsc-ring-in-batches" || share !== undefined) continue;
      if (stoppedSender === "fatal" && stoppedReceiver === "fatal") continue;
      it(name, { timeout: LIMIT_MS }, () => terminateMany(name, competitor));
    }
  });
}

async function terminateMany(name: string, competitor: QueuesCompetitor): Promise<void> {
  const crew = startCrew(name, competitor, undefined);
  const { producers } = crew.shared.instance;
  const victims = [...crew.workers.keys()].filter(
    (seat) => competitor[seat < producers ? "stoppedSender" : "stoppedReceiver"] !== "fatal",
  );
  const random = new Random(67);
  const deaths = { producers: 0, consumers: 0 };
  for (let terminated = 0; terminated < TERMINATIONS; terminated++) {
    for (const at of crew.workers.keys()) await Atomics.waitAsync(crew.shared.ready, at, 0).value;
    await pass(random.fraction() * MOST_LIFE_MS);
    const seat = victims[random.below(victims.length)]!;
    await crew.workers[seat]!.terminate();
    deaths[seat < producers ? "producers" : "consumers"]++;
    Atomics.store(crew.shared.ready, seat, 0);
    freeSeat(crew.shared.instance, seat);
    crew.workers[seat] = crew.start(seat);
  }
  Atomics.store(crew.shared.stop, 0, 1);
  await Promise.all(crew.workers.map((worker) => once(worker, "exit")));
  const sent = total(crew.shared.sent);
  const received = total(crew.shared.received);
  assert.ok(received >= sent - deaths.consumers, `${sent - received} are lost, ${deaths.consumers} died`);
  assert.ok(received <= sent + deaths.producers, `${received - sent} too many, ${deaths.producers} died`);
  assert.equal(crew.shared.faults[0], 0, "messages were torn, out of order or received twice");
  assert.ok(sent > TERMINATIONS, `only ${sent} messages were sent`);
}

function startCrew(name: string, competitor: QueuesCompetitor, messages: number | undefined) {
  const producers = competitor.producers === "many" ? 2 : 1;
  const consumers = competitor.consumers === "many" ? 2 : 1;
  const size =
    competitor.messages === "words" ? { capacity: 64, longest: 3 } : { capacity: 4096, longest: 200 };
  const instance = makeQueue(competitor, { ...size, producers, consumers });
  const each = messages === undefined ? {} : { messages: Math.floor(messages / producers) };
  const shared = {
    name,
    instance,
    ...each,
    begun: allocateRegion(producers),
    sent: allocateRegion(producers),
    received: allocateRegion(consumers),
    last: allocateRegion(producers * consumers),
    faults: allocateRegion(1),
    stop: allocateRegion(1),
    ready: allocateRegion(producers + consumers),
  };
  const ends = endsOf(competitor, instance);
  const start = (seat: number) => {
    const { value: end, transfer = [] } = ends[seat] ?? {};
    const worker = new Worker(new URL(import.meta.url), {
      workerData: { ...shared, end, seat } satisfies Shared,
      transferList: transfer as never,
    });
    if (THREADS_END_LATE) exitWithThread(worker);
    return worker;
  };
  const workers = Array.from({ length: producers + consumers }, (_, seat) => start(seat));
  return { shared, workers, start, messages: (each.messages ?? 0) * producers };
}

function send(competitor: QueuesCompetitor, shared: Shared): void {
  const { instance, end, seat, messages = Number.POSITIVE_INFINITY, begun, sent, stop } = shared;
  const sender = attachSender(competitor, instance, seat, end);
  const { make } = messagesFor(competitor, instance);
  begin(shared);
  while (begun[seat]! < messages && Atomics.load(stop, 0) === 0) {
    const nth = begun[seat]!;
    if (competitor.full === "grows" && nth % TOLD_EACH === 0) waitForReceivers(shared);
    // The message that a terminated producer was sending may be received or not: its successor sends the next.
    begun[seat] = nth + 1;
    if (sender.send(make(numberOf(seat, nth % MOST_SENT))) === "sent") sent[seat]!++;
  }
  sender.close();
}

function waitForReceivers({ begun, received }: Shared): void {
  for (;;) {
    const seen = Atomics.load(received, 0);
    if (total(begun) - seen <= MOST_AHEAD) return;
    Atomics.wait(received, 0, seen);
  }
}

function receive(competitor: QueuesCompetitor, shared: Shared): void {
  const { instance, end, seat, begun, received, last, faults } = shared;
  const consumer = seat - instance.producers;
  const receiver = attachReceiver(competitor, instance, consumer, end);
  const messages = messagesFor(competitor, instance);
  begin(shared);
  for (;;) {
    const length = receiver.receive(messages.room);
    if (length === CLOSED) return;
    received[consumer]!++;
    if (competitor.full === "grows" && received[consumer]! % TOLD_EACH === 0)
      Atomics.notify(received, consumer);
    const number = messages.check(length);
    const of = consumer * instance.producers + producerOf(number);
    const nth = number === TORN ? TORN : sentAs(number, begun);
    if (nth < (last[of] ?? 0)) Atomics.add(faults, 0, 1);
    else last[of] = nth + 1;
  }
}

/** Which message of its producer this is: numbers begin anew after MOST_SENT, and the last ones that were begun are there. */
function sentAs(number: number, begun: Int32Array): number {
  const ahead = Atomics.load(begun, producerOf(number)) - nthOf(number);
  return nthOf(number) + ahead - (ahead % MOST_SENT);
}

function begin({ ready, seat }: Shared): void {
  Atomics.store(ready, seat, 1);
  Atomics.notify(ready, seat);
}

function total(counts: Int32Array): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

async function work(shared: Shared): Promise<void> {
  const { url } = competitorsOf("queues").find(({ name }) => name === shared.name)!;
  const { default: competitor } = (await import(url)) as { default: QueuesCompetitor };
  if (shared.seat < shared.instance.producers) send(competitor, shared);
  else receive(competitor, shared);
}

await (isMainThread ? judge() : work(workerData as Shared));
