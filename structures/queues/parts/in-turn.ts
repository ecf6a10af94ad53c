import { type Region, wholeStrides } from "../../shared/layout.ts";
import { EMPTY, type QueueSetup, type QueuesCompetitor, type Receiver } from "../queues.contract.ts";

/** A ring for each producer in whole strides, which one consumer looks at in turn: each is a queue from one to one. */
export function ringEach(ring: Pick<QueuesCompetitor, "words" | "format" | "sender" | "receiver">) {
  const strides = (setup: QueueSetup) => wholeStrides(ring.words(setup));
  const ringOf = (memory: Region, setup: QueueSetup, producer: number) =>
    memory.subarray(producer * strides(setup));
  return {
    progress: "wait-free",
    producers: "many",
    consumers: "one",
    full: "refuses",
    order: "producer",
    exactEmpty: true,
    stoppedSender: "harmless",
    stoppedReceiver: "harmless",
    words: (setup) => setup.producers * strides(setup),
    format(memory, setup) {
      for (let producer = 0; producer < setup.producers; producer++)
        ring.format(ringOf(memory, setup, producer), setup);
    },
    sender: (memory, setup, worker) => ring.sender(ringOf(memory, setup, worker.index), setup, worker),
    receiver: (memory, setup, worker) =>
      inTurn(setup.producers, (producer) => ring.receiver(ringOf(memory, setup, producer), setup, worker)),
  } as const satisfies Partial<QueuesCompetitor>;
}

/** Receives from several queues, from each in turn that has a message. `receiverOf` attaches to each of them. */
function inTurn(queues: number, receiverOf: (queue: number) => Receiver): Receiver {
  const receivers = Array.from({ length: queues }, (_, queue) => receiverOf(queue));
  let next = 0;
  return {
    tryReceive(into) {
      for (let looked = 0; looked < queues; looked++) {
        const length = receivers[next]!.tryReceive(into);
        next = next + 1 === queues ? 0 : next + 1;
        if (length !== EMPTY) return length;
      }
      return EMPTY;
    },
  };
}
