import type { LinearMemory, Region } from "../../shared/layout.ts";
import { codeIn, type Instantiate, placeIn } from "../../shared/wasm.ts";
import { placeMask } from "./handles.ts";
import CODE from "./timers.wasm.ts";

/** The functions of timers.wasm, whose text (timers.wat) says what they do to the wheel in a region. */
export interface WheelCode {
  /** The handle; 0 where the set is full or the deadline beyond the horizon. */
  add(deadline: number): number;
  /** 1 where the timer was live, else 0. */
  cancel(handle: number): number;
  /** The same, or -1 where the deadline is beyond the horizon. */
  refresh(handle: number, deadline: number): number;
  /**
   * How many handles it has written to the outbox: `limit` at most, which is OUTBOX_WORDS or less. `isLast` is 0 where
   * another call follows at once, else 1: what is left over then is to be in order.
   */
  advance(now: number, limit: number, isLast: number): number;
}

/** Handles of one report: enough to make the call cheap, few enough to stay in the nearest cache. */
export const OUTBOX_WORDS = 2 ** 10;

/** Word of the region from which on `advance` writes handles down: they are its last. */
export function outboxOf(memory: Region): number {
  return memory.length - OUTBOX_WORDS;
}

const OWN = codeIn<WheelCode>(CODE);

/** The functions for the wheel in a region, which must view `linear`. Throws a RangeError for an invalid capacity. */
export function wheelCode(
  memory: Region,
  capacity: number,
  linear: LinearMemory | undefined,
  instantiate: Instantiate<WheelCode> = OWN,
): WheelCode {
  const sizes = { capacity, mask: placeMask(capacity), outbox: outboxOf(memory) };
  return instantiate({ timers: { ...placeIn(linear, memory), ...sizes } });
}
