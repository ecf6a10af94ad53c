import type { LinearMemory, Region } from "../../shared/layout.ts";
import { codeIn, placeIn } from "../../shared/wasm.ts";
import futex from "../competitors/futex-three-state.ts";
import type { Lock, SleepingLock } from "../locks.contract.ts";
import CODE from "./locks.wasm.ts";
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

/** The code in locks.wasm, or `other`, for one worker's handle: where its region is, is a constant of an instance. */
export function locksCode(memory: Region, linear: unknown, other = instantiate): LocksCode {
  return other({ locks: placeIn(linear as LinearMemory | undefined, memory) });
}

const instantiate = codeIn<LocksCode>(CODE);

/** A handle of futex-three-state, with all but what waits up to a limit in `code`. */
export function futexIn(code: LocksCode, memory: Region): SleepingLock {
  const { lockFutex, tryLockFutex, unlockFutex } = code;
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
      return code.spins();
    },
    get parks() {
      return code.parks();
    },
  };
}

/** A handle of ticket with all of it in `code`. */
export function ticketIn(code: LocksCode): Lock {
  const { lockTicket, tryLockTicket, unlockTicket } = code;
  return {
    lock: lockTicket,
    tryLock: () => tryLockTicket() === 1,
    unlock: unlockTicket,
    get spins() {
      return code.spins();
    },
    get parks() {
      return code.parks();
    },
  };
}

const FREE = 0;
