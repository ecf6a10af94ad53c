import type { MessagePort } from "node:worker_threads";
import { SyncMessagePort } from "sync-message-port";
import { alone } from "../parts/ports.ts";
import { EMPTY, type Message, type QueuesCompetitor } from "../queues.contract.ts";
import nodeMessagePort from "./node-message-port.ts";

/**
 * The package sync-message-port: a MessagePort with counters in shared memory, so that a thread can sleep for a message.
 *
 * Promise: that of node-message-port.
 * Progress: blocking: a producer that stops between the message and its counter keeps the consumer waiting.
 * Threads: one producer and one consumer.
 * Cost: that of node-message-port, and an addition and a wake-up by the package for each send.
 * Memory: of the runtime, without bound, and the package's counters.
 * Limits: those of node-message-port.
 * Bet: what a synchronous call to another thread costs that sass-embedded makes of it.
 * Source: npm sync-message-port 1.2.0.
 */
export default {
  ...nodeMessagePort,
  summary: "sync-message-port: a MessagePort with counters that a thread can sleep on",
  source: "npm sync-message-port",
  notifies: true,

  share() {
    const { port1, port2 } = SyncMessagePort.createChannel();
    return [port1, port2].map((port) => ({ value: port, transfer: [port] }));
  },

  sender(_memory, _setup, _worker, end) {
    const port = new SyncMessagePort(end as MessagePort);
    return {
      trySend(frame) {
        port.postMessage(alone(frame));
        return true;
      },
    };
  },

  receiver(_memory, _setup, _worker, end) {
    const port = new SyncMessagePort(end as MessagePort);
    return {
      tryReceive(into) {
        const received = port.receiveMessageIfAvailable() as { readonly message: Message } | undefined;
        if (received === undefined) return EMPTY;
        into.set(received.message);
        return received.message.length;
      },
    };
  },
} satisfies QueuesCompetitor;
