import { type BroadcastChannel, type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import { EMPTY, type Message, type Receiver } from "../queues.contract.ts";

/**
 * The frame as a message of its own. A structured clone of a view copies all of the buffer that it views.
 */
export function alone(frame: Message): Message {
  return frame.byteLength === frame.buffer.byteLength ? frame : frame.slice();
}

/** Receives the frames that arrive at a port, those first that its event loop has `delivered`. */
export function portReceiver(
  port: MessagePort | BroadcastChannel,
  delivered: Message[] = [],
): Pick<Receiver, "tryReceive"> {
  return {
    tryReceive(into) {
      const message = delivered.shift() ?? takenFrom(port);
      if (message === undefined) return EMPTY;
      into.set(message);
      return message.length;
    },
  };
}

export function takenFrom(port: MessagePort | BroadcastChannel): Message | undefined {
  return receiveMessageOnPort(port as MessagePort)?.message as Message | undefined;
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
