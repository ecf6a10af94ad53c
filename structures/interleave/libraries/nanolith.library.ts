import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { check } from "../index.ts";

/**
 * nanolith: threads that share maps. Here the mutex that guards a map.
 *
 * Promise: one thread at a time reads or changes a map.
 * Visited completely: three threads that count under the mutex, of whom one does so twice.
 * Found: nothing. What its functions that return promises do in between is not in here.
 */
interface Mutex {
  lockMutexSync(mutex: Int32Array): void;
  unlockMutex(mutex: Int32Array): void;
}
const { lockMutexSync, unlockMutex } = (await import(
  new URL("utilities/mutex.js", import.meta.resolve("nanolith")).href
)) as Mutex;

describe("nanolith", () => {
  it("has one holder of its mutex at a time", () => {
    const count = ({ mutex, counted }: Record<"mutex" | "counted", Int32Array>) => {
      lockMutexSync(mutex);
      counted[0]!++;
      unlockMutex(mutex);
    };
    const word = () => new Int32Array(new SharedArrayBuffer(4));
    check({
      shared: { mutex: word(), counted: word() },
      threads: [[count, count], count, count],
      end: ({ counted }) => assert.equal(counted[0], 4),
    });
  });
});
