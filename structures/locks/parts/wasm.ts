import type { LinearMemory, Region } from "../../shared/layout.ts";
import { codeIn, type Instantiate, placeIn } from "../../shared/wasm.ts";
import futex from "../competitors/futex-three-state.ts";
import type { Lock, SleepingLock } from "../locks.contract.ts";
import { unlockedFree } from "./misuse.ts";

/** The functions of locks.wasm, whose text (locks.wat) says what they do to the region that they were instantiated for. */
export interface LocksCode {
  lockFutex(): void;
  tryLockFutex(): number;
  unlockFutex(): number;
  lockTicket(): void;
  tryLockTicket(): number;
  unlockTicket(): void;
  spins(): number;
  parks(): number;
}

export const locksCode = codeIn<LocksCode>(new URL("./locks.wasm", import.meta.url));

/** A handle of futex-three-state, with all but what waits up to a limit in `code`. */
export function futexIn(code: Instantiate<LocksCode>) {
  return (memory: Region, _worker: unknown, linear?: unknown): SleepingLock => {
    const { lockFutex, tryLockFutex, unlockFutex, ...counts } = instanceOf(code, memory, linear);
    const { word, lockOrAnnounce } = futex.attach(memory);
    return {
      lock: lockFutex,
      tryLock: () => tryLockFutex() === 1,
      unlock() {
        if (unlockFutex() === FREE) throw unlockedFree();
      },
      word,
      lockOrAnnounce,
      get spins() {
        return counts.spins();
      },
      get parks() {
        return counts.parks();
      },
    };
  };
}

/** A handle of ticket with all of it in `code`. */
export function ticketIn(code: Instantiate<LocksCode>) {
  return (memory: Region, _worker: unknown, linear?: unknown): Lock => {
    const { lockTicket, tryLockTicket, unlockTicket, ...counts } = instanceOf(code, memory, linear);
    return {
      lock: lockTicket,
      tryLock: () => tryLockTicket() === 1,
      unlock: unlockTicket,
      get spins() {
        return counts.spins();
      },
      get parks() {
        return counts.parks();
      },
    };
  };
}

/** Where a region is, is a constant of an instance, and so is whose totals are counted. */
function instanceOf(code: Instantiate<LocksCode>, memory: Region, linear: unknown): LocksCode {
  return code({ locks: placeIn(linear as LinearMemory | undefined, memory) });
}

const FREE = 0;
