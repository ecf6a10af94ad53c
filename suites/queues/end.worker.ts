import { parentPort, workerData } from "node:worker_threads";
import { CLOSED, type ParkedReceiver, type ParkedSender } from "../../structures/queues/parts/handles.ts";
import { EMPTY, type QueuesCompetitor } from "../../structures/queues/queues.contract.ts";
import { attachReceiver, attachSender } from "../../structures/queues/queues.instance.ts";
import { Random } from "../../structures/shared/sfc32.ts";
import { threadCpuUs } from "./other-thread.ts";
import { Payload } from "./payload.ts";
import type { EndTask, Receives, Sends, Sent, Taken, Waits } from "./threads.ts";

/** One thread of a flow: a producer that keeps to its schedule, or a consumer that waits as it is told. */
const { competitorUrl, instance, shape, seat, end, seed, gate, epochNs, ...flow } = workerData as EndTask;
const { default: competitor } = (await import(competitorUrl)) as { default: QueuesCompetitor };
const nowNs = () => Number(process.hrtime.bigint() - epochNs);
const payload = new Payload(shape);
/** The other work of an event loop. */
const BUSY_EVERY_MS = 10;

// A thread whose event loop has nothing else would end.
setInterval(() => {}, 2 ** 31 - 1);
if (seat < instance.producers) await send(attachSender(competitor, instance, seat, end), flow.send);
else await receive(attachReceiver(competitor, instance, seat - instance.producers, end), flow.receive);

function begin(): void {
  Atomics.add(gate, 0, 1);
  Atomics.notify(gate, 0);
  const threads = instance.producers + instance.consumers;
  for (let ready = 0; ready < threads; ready = Atomics.load(gate, 0)) Atomics.wait(gate, 0, ready);
}

async function send(sender: ParkedSender, { count, intervalNs, idleMs }: Sends): Promise<void> {
  const random = new Random(seed);
  const dueNs = new Float64Array(intervalNs === 0 ? 0 : count);
  begin();
  if (idleMs > 0) await new Promise((resolve) => setTimeout(resolve, idleMs));
  const beganNs = nowNs();
  for (let number = 0; number < dueNs.length; number++)
    dueNs[number] = beganNs + (number + random.fraction()) * intervalNs;
  let longestNs = 0;
  for (let number = 0; number < count; number++) {
    if (intervalNs > 0) while (nowNs() < dueNs[number]!);
    payload.write(seat, number);
    if (!sender.trySend(payload.message)) {
      const fullNs = nowNs();
      sender.send(payload.message);
      longestNs = Math.max(longestNs, nowNs() - fullNs);
    }
    if (intervalNs > 0) sender.flush();
  }
  sender.close();
  parentPort!.postMessage({ beganNs, dueNs, longestNs } satisfies Sent);
}

async function receive(receiver: ParkedReceiver, { waits, busyMs }: Receives): Promise<void> {
  const expected = flow.send.count;
  const cameNs = new Float64Array(instance.producers === 1 ? expected : 0);
  const last = new Float64Array(instance.producers).fill(-1);
  let received = 0;
  let wrong = 0;
  let idleCpuUs = 0;
  const take = (length: number) => {
    const producer = payload.producerOf(instance.producers);
    const { number } = payload;
    if (received === 0) idleCpuUs = threadCpuUs() - beforeUs;
    if (number < cameNs.length) cameNs[number] = nowNs();
    if (length !== shape.length || producer === -1 || !(number > last[producer]!)) wrong++;
    else last[producer] = number;
    received++;
  };
  begin();
  const beforeUs = threadCpuUs();
  if (busyMs > 0) setInterval(() => work(busyMs), BUSY_EVERY_MS);
  let isDelivered = false;
  if (waits === "subscribe") isDelivered = await delivered(receiver, take, () => received === expected);
  // The producer waits for room where nobody takes.
  if (!isDelivered) await takeAll(receiver, waits === "subscribe" ? "sleep" : waits, take);
  const endedNs = nowNs();
  const cpuUs = threadCpuUs() - beforeUs - idleCpuUs;
  const taken: Taken = { received, isDelivered, wrong, endedNs, cameNs, idleCpuUs, cpuUs };
  parentPort!.postMessage(taken);
}

/** Takes messages until no more come. */
async function takeAll(
  receiver: ParkedReceiver,
  waits: Waits,
  take: (length: number) => void,
): Promise<void> {
  const { message } = payload;
  for (;;) {
    let length: number;
    if (waits === "await") length = await receiver.receiveAsync(message);
    else length = waits === "sleep" ? receiver.receive(message) : receiver.tryReceive(message);
    if (length === CLOSED) return;
    if (length !== EMPTY) take(length);
  }
}

/** Takes messages as the runtime delivers them, until these are all: it does not say which is the last. False if it does not. */
function delivered(
  receiver: ParkedReceiver,
  take: (length: number) => void,
  areAll: () => boolean,
): boolean | Promise<boolean> {
  let resolve: (isDelivered: boolean) => void;
  const ended = new Promise<boolean>((resolved) => {
    resolve = resolved;
  });
  const end = receiver.subscribe((came) => {
    payload.message.set(came);
    take(came.length);
    if (!areAll()) return;
    end!();
    resolve(true);
  });
  return end !== undefined && ended;
}

function work(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}
