import { EMPTY, type Receiver } from "../queues.contract.ts";

/** Receives from several queues, from each in turn that has a message. `receiverOf` attaches to each of them. */
export function inTurn(queues: number, receiverOf: (queue: number) => Receiver): Receiver {
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
