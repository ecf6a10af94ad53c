import { MessageChannel, type MessagePort } from "node:worker_threads";
import { alone, subscribable } from "../parts/ports.ts";
import type { QueuesCompetitor } from "../queues.contract.ts";

/**
 * Node's own: `postMessage` to a port, which the consumer polls with receiveMessageOnPort or has delivered by its event loop.
 *
 * Promise: frames in their order. It is never full.
 * Progress: blocking: a mutex of the runtime guards each port's queue.
 * Threads: one producer and one consumer.
 * Cost: a structured clone on both sides, an allocation, a mutex, and a wake-up of the consumer's event loop for each send.
 * Memory: of the runtime, without bound.
 * Limits: a producer that is faster than its consumer fills the memory. A port ends with its thread, and takes along what
 *   was not received.
 * Bet: good enough for most, and needs no shared memory.
 * Source: Node.js, worker_threads, MessagePort and receiveMessageOnPort.
 */
export default {
  summary: "MessagePort of Node: a structured clone of each frame",
  source: "Node.js, worker_threads, MessagePort",
  progress: "blocking",
  messages: "frames",
  producers: "one",
  consumers: "one",
  full: "grows",
  order: "global",
  exactEmpty: true,
  exactFull: true,
  stoppedSender: "fatal",
  stoppedReceiver: "fatal",

  words: () => 0,

  format() {},

  share() {
    const { port1, port2 } = new MessageChannel();
    return [port1, port2].map((port) => ({ value: port, transfer: [port] }));
  },

  sender(_memory, _setup, _worker, end) {
    const port = end as MessagePort;
    return {
      trySend(frame) {
        port.postMessage(alone(frame));
        return true;
      },
    };
  },

  receiver: (_memory, _setup, _worker, end) => subscribable(end as MessagePort),
} satisfies QueuesCompetitor;
