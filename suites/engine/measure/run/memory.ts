import type { Failure } from "../plan/protocol.ts";

/** Part of the free memory that a fork may be expected to need: the estimate is one, and others run here too. */
const USABLE_MEMORY = 0.8;

/** Why a fork that needs `bytes` is not started, if it is better not. */
export function beyondMemory(bytes: number): Failure | undefined {
  const free = process.availableMemory();
  if (bytes <= USABLE_MEMORY * free) return undefined;
  const gigabytes = (value: number) => `${(value / 1e9).toFixed(1)} GB`;
  return {
    kind: "fault",
    reason: `not started: it may need ${gigabytes(bytes)}, and ${gigabytes(free)} of memory are free`,
  };
}
