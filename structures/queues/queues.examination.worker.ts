import { loadCompetitor } from "../catalog.ts";
import { CLOSED } from "./parts/handles.ts";
import { messagesFor, numberOf } from "./parts/messages.ts";
import { contract, type QueuesCompetitor } from "./queues.contract.ts";
import type { QueuesReport, QueuesTask } from "./queues.examination.ts";
import { attachReceiver, attachSender } from "./queues.instance.ts";

/** One worker of an examination: sends its messages and closes, or receives until all have; and returns its notes. */
export default async function work(task: QueuesTask): Promise<QueuesReport> {
  const competitor = (await loadCompetitor(task.url, contract)) as QueuesCompetitor;
  return task.index < task.instance.producers ? send(competitor, task) : receive(competitor, task);
}

function send(
  competitor: QueuesCompetitor,
  { instance, end, index, messages, gate }: QueuesTask,
): QueuesReport {
  const sender = attachSender(competitor, instance, index, end);
  const { make } = messagesFor(competitor, instance);
  const began = new Int32Array(messages);
  const ended = new Int32Array(messages);
  meet({ instance, gate });
  for (let nth = 0; nth < messages; nth++) {
    began[nth] = Atomics.add(gate, CLOCK, 1);
    sender.send(make(numberOf(index, nth)));
    ended[nth] = Atomics.add(gate, CLOCK, 1);
  }
  sender.close();
  return { count: messages, began, ended, numbers: [] };
}

function receive(competitor: QueuesCompetitor, { instance, end, index, gate }: QueuesTask): QueuesReport {
  const receiver = attachReceiver(competitor, instance, index - instance.producers, end);
  const messages = messagesFor(competitor, instance);
  const numbers: number[] = [];
  meet({ instance, gate });
  for (;;) {
    const length = receiver.receive(messages.room);
    if (length === CLOSED) return { count: 0, numbers };
    numbers.push(messages.check(length));
  }
}

/** Waits until all workers of the crew are here. */
function meet({ instance: { producers, consumers }, gate }: Pick<QueuesTask, "instance" | "gate">): void {
  let here = Atomics.add(gate, ARRIVED, 1) + 1;
  Atomics.notify(gate, ARRIVED);
  for (; here < producers + consumers; here = Atomics.load(gate, ARRIVED)) Atomics.wait(gate, ARRIVED, here);
}

const ARRIVED = 0;
const CLOCK = 1;
