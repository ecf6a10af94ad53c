import { randomUUID } from "node:crypto";
import { BroadcastChannel } from "node:worker_threads";
import { alone, portReceiver, takenFrom } from "../parts/ports.ts";
import type { Message, QueuesCompetitor } from "../queues.contract.ts";
import nodeMessagePort from "./node-message-port.ts";

/**
 * Node's own channel by name: any thread joins it, and each message goes to all others.
 *
 * Promise: that of node-message-port, for any number of producers and the one consumer that has joined.
 * Progress: blocking, as node-message-port.
 * Threads: any number of producers and one consumer. A second consumer would receive every message, too.
 * Cost: that of node-message-port for each that has joined: producers receive the frames of the others, and drop them now
 *   and then.
 * Memory: of the runtime, without bound.
 * Limits: what is sent before the consumer has joined is lost. So is what the event loop delivers while nobody listens: Node
 *   begins to deliver at once, and not as a port does when it has a listener. So the consumer listens, whichever way it
 *   waits. Only Node takes messages from a channel without its event loop.
 * Bet: no port has to be handed to anyone.
 * Source: Node.js, worker_threads, BroadcastChannel.
 */
export default {
  ...nodeMessagePort,
  summary: "BroadcastChannel of Node: a structured clone of each frame for each that has joined",
  source: "Node.js, worker_threads, BroadcastChannel",
  producers: "many",

  unavailable() {
    const { bun, deno } = process.versions;
    return bun === undefined && deno === undefined
      ? undefined
      : "receiveMessageOnPort takes nothing from its BroadcastChannel";
  },

  words: () => 0,

  share({ producers, consumers }) {
    const value = randomUUID();
    return Array.from({ length: producers + consumers }, () => ({ value, transfer: [] }));
  },

  sender(_memory, _setup, _worker, end) {
    const channel = join(end);
    let sent = 0;
    return {
      trySend(frame) {
        channel.postMessage(alone(frame));
        if (++sent % DROPPED_EACH === 0) while (takenFrom(channel) !== undefined);
        return true;
      },
    };
  },

  receiver(_memory, _setup, _worker, end) {
    const channel = join(end);
    const delivered: Message[] = [];
    const listen = (take: (message: Message) => void) => {
      channel.onmessage = ({ data }) => take(data as Message);
    };
    const keep = (message: Message) => void delivered.push(message);
    listen(keep);
    return {
      ...portReceiver(channel, delivered),
      subscribe(take) {
        listen(take);
        return () => listen(keep);
      },
    };
  },
} satisfies QueuesCompetitor;

/** Sends of a producer from one look for others' frames to the next. */
const DROPPED_EACH = 256;

/** Does not keep its thread from ending. */
function join(end: unknown): BroadcastChannel {
  const channel = new BroadcastChannel(end as string);
  channel.unref();
  return channel;
}
