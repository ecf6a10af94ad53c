import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { check } from "../index.ts";
import { attachEnd, type End, openChannel, receiveTwo } from "./multithreading-channel.ts";

/**
 * multithreading: its channel, which passes values of JSON from any number of threads to any number.
 *
 * Promise: "each message is delivered to exactly one consumer"; the channel closes when all senders are dropped.
 * Visited completely: two senders and a receiver; a sender that sends and is dropped, another that is only dropped, and a
 * receiver.
 * Found: nothing here; models.library.ts has what happens when its memory gets full.
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
});
