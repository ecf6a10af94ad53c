import { type BroadcastChannel, type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import { EMPTY, type Message, type Receiver } from "../queues.contract.ts";

/**
 * The frame as a message of its own. A structured clone of a view copies all of the buffer that it views.
 */
export function alone(frame: Message): Message {
  return frame.byteLength === frame.buffer.byteLength ? frame : frame.slice();
}

/** Receives the frames that arrive at a port, or at a channel's end. */
export function portReceiver(port: MessagePort | BroadcastChannel): Receiver {
  return {
    tryReceive(into) {
      const received = receiveMessageOnPort(port as MessagePort) as { readonly message: Message } | undefined;
      if (received === undefined) return EMPTY;
      into.set(received.message);
      return received.message.length;
    },
  };
}

/** The same with frames that the event loop delivers. */
export function subscribable(port: MessagePort): Receiver {
  return {
    ...portReceiver(port),
    subscribe(take) {
      port.on("message", take);
      return () => {
        port.off("message", take);
        port.unref();
      };
    },
  };
}
