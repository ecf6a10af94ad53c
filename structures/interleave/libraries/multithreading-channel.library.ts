import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { check, type Seen } from "../index.ts";
import { attachEnd, type End, openChannel, receiveTwo } from "./multithreading-channel.ts";

/**
 * multithreading: its channel, which passes values of JSON from any number of threads to any number.
 *
 * Promise: "each message is delivered to exactly one consumer"; the channel closes when all senders are dropped.
 * Visited completely: two senders and a receiver; a sender that sends and is dropped, another that is only dropped, and a
 * receiver.
 * Found: a receiver gets an old message again. Strings are kept by address. When a sender has filled the channel's memory,
 * 64 KiB unless another size is given, it moves what is there, and the receiver's copies stay as they were.
 */
describe("the channel of multithreading", () => {
  it("delivers what two threads send", () => {
    const send = (message: boolean) => (sender: End) => sender.blockingSend(message).ok;
    check({
      shared: openChannel(2, 256),
      attach: attachEnd,
      threads: [send(true), send(false), receiveTwo],
      end(_, { results: [one, other, received] }) {
        assert.deepEqual([one, other], [[true], [true]]);
        assert.deepEqual(new Set(received![0] as boolean[]), new Set([true, false]));
      },
    });
  });

  it("closes when all senders are dropped, and delivers what was sent before", () => {
    const drop = (sender: End) => sender[Symbol.dispose]();
    const sendAndDrop = (sender: End) => {
      sender.blockingSend(true);
      drop(sender);
    };
    check({
      shared: openChannel(2, 256),
      attach: attachEnd,
      threads: [sendAndDrop, drop, receiveTwo],
      end: (_, { results }) => assert.deepEqual(results[2], [[true, "closed"]]),
    });
  });

  it("delivers a message again once its memory has been full", () => {
    const send = (sender: End) => {
      for (const message of ["one", "two"]) sender.blockingSend(message);
    };
    const program = {
      shared: openChannel(1, 72),
      attach: attachEnd,
      threads: [send, receiveTwo],
      end: (_: object, { results }: Seen) => assert.equal(String(results[1]), "one,two"),
    };
    assert.throws(() => check(program), { promise: "end", message: /'one,one'/ });
  });
});
