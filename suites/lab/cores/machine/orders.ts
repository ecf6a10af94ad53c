import type { Region } from "../../../../structures/shared/layout.ts";
import type { WorkDone, WorkerIdentity } from "../../../engine/race.ts";
import type { Board } from "./board.ts";
import type { Task } from "./simulated.ts";

/** What a thread is ordered to do: to join a crew, to run until a window has closed, once or more often, and to account for it. */
export type Order =
  | {
      readonly kind: "attach";
      readonly task: Task;
      readonly identity: WorkerIdentity;
      readonly shared: unknown;
      /** The first word of each buffer that `shared` has, in the order in which `buffersOf` finds them. */
      readonly bases: readonly number[];
    }
  | { readonly kind: "run"; readonly task: Task; readonly board: Board }
  /** No more windows: report what was done in all of them. */
  | { readonly kind: "account" };

export type ThreadAnswer =
  | { readonly kind: "attached" }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "done"; readonly seen: Seen }
  | { readonly kind: "account"; readonly work: WorkDone };

/** What one worker did within the window. */
export interface Seen {
  readonly latenciesNs: Float64Array;
  readonly transfers: number;
  readonly accesses: number;
  readonly atomics: number;
  readonly failures: number;
  readonly sleeps: number;
}

/** The buffers of all regions within plain data, each once, in the order in which they are met. */
export function buffersOf(shared: unknown): SharedArrayBuffer[] {
  const found = new Set<SharedArrayBuffer>();
  const visit = (value: unknown): void => {
    if (isRegion(value)) found.add(value.buffer);
    else if (isPlain(value)) for (const part of Object.values(value)) visit(part);
  };
  visit(shared);
  return [...found];
}

export function isRegion(value: unknown): value is Region {
  return value instanceof Int32Array && value.buffer instanceof SharedArrayBuffer;
}

export function isPlain(value: unknown): value is object {
  return (
    Array.isArray(value) ||
    (typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype)
  );
}
