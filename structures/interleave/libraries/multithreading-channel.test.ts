import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { channel, type Receiver, type Sender } from "multithreading";
import { check } from "../index.ts";

/**
 * multithreading: its channel, which passes values of JSON from any number of threads to any number.
 *
 * Promise: "each message is delivered to exactly one consumer"; the channel closes when all senders are dropped.
 * Visited completely: two senders and a receiver; a sender that sends and is dropped, another that is only dropped, and a
 * receiver.
 * Found: a receiver gets an old message again. Strings are kept by address. When a sender has filled the channel's memory,
 * 64 KiB unless another size is given, it moves what is there, and the receiver's copies stay as they were.
 */
const { deserialize, serialize } = (await import(
  new URL("../lib/shared.js", import.meta.resolve("multithreading")).href
)) as {
  serialize(of: object): readonly [shared: object, transfer: readonly object[]];
  deserialize(shared: object): object;
};

const open = (bytes: number) => {
  const [sender, receiver] = channel<unknown>(1, { size: bytes });
  const other = sender.clone();
  const [senders, receivers] = [[sender, other], [receiver]].map((of) => of.map((one) => serialize(one)[0]));
  return { senders: senders!, receivers: receivers! };
};
type Shared = ReturnType<typeof open>;
const senderOf = ({ senders }: Shared, at: number) => deserialize(senders[at]!) as Sender<unknown>;
const receiverOf = ({ receivers }: Shared) => deserialize(receivers[0]!) as Receiver<unknown>;

const receiveTwo = (own: Shared) => {
  const receiver = receiverOf(own);
  return [receiver, receiver].map((from) => {
    const { ok, value } = from.blockingRecv() as { readonly ok: boolean; readonly value?: unknown };
    return ok ? value : "closed";
  });
};

describe("the channel of multithreading", () => {
  it("delivers what two threads send", () => {
    const send = (at: number) => (own: Shared) => senderOf(own, at).blockingSend(at === 0).ok;
    check<Shared>({
      shared: open(256),
      threads: [send(0), send(1), receiveTwo],
      end(_, { results: [one, other, received] }) {
        assert.deepEqual([one, other], [[true], [true]]);
        assert.deepEqual(new Set(received![0] as unknown[]), new Set([true, false]));
      },
    });
  });

  it("closes when all senders are dropped, and delivers what was sent before", () => {
    check<Shared>({
      shared: open(256),
      threads: [
        (own) => {
          const sender = senderOf(own, 0);
          sender.blockingSend(true);
          sender[Symbol.dispose]();
        },
        (own) => senderOf(own, 1)[Symbol.dispose](),
        receiveTwo,
      ],
      end: (_, { results }) => assert.deepEqual(results[2], [[true, "closed"]]),
    });
  });

  it("delivers a message again once its memory has been full", () => {
    const program = {
      shared: open(72),
      threads: [
        (own: Shared) => {
          const sender = senderOf(own, 0);
          for (const message of ["one", "two"]) sender.blockingSend(message);
        },
        receiveTwo,
      ],
      end: (_: Shared, { results }: { readonly results: readonly (readonly unknown[])[] }) =>
        assert.equal(String(results[1]), "one,two"),
    };
    assert.throws(() => check<Shared>(program), { promise: "end", message: /'one,one'/ });
  });
});
