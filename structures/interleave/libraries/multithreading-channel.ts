import { channel, type Receiver, type Sender } from "multithreading";

/** How the library hands an end of a channel to another thread, which it exports to itself only. */
const { deserialize, serialize } = (await import(
  new URL("../lib/shared.js", import.meta.resolve("multithreading")).href
)) as { serialize(end: object): readonly [shared: object]; deserialize(shared: object): object };

export type End = Sender<unknown> & Receiver<unknown>;

/** A channel for as many messages as senders, with one receiver, in so much memory. */
export function openChannel(senders: number, bytes: number): readonly object[] {
  const [sender, receiver] = channel<unknown>(senders, { size: bytes });
  const others = Array.from({ length: senders - 1 }, () => sender.clone());
  return [sender, ...others, receiver].map((end) => serialize(end)[0]);
}

export function attachEnd(shared: readonly object[], thread: number): End {
  return deserialize(shared[thread]!) as End;
}

export function receiveTwo(receiver: End): unknown[] {
  return [0, 1].map(() => {
    const received = receiver.blockingRecv();
    return received.ok ? received.value : "closed";
  });
}
