import type { MessagePort } from "node:worker_threads";
import type { Setup, WorkDone, WorkerIdentity } from "../../race.ts";
import type { LinearMemory, Region } from "../../words/layout.ts";
import type { Allocation } from "../plan/protocol.ts";
import type { Arena, Copy } from "./arena.ts";

/** What a worker thread is started with. */
export interface Assignment {
  readonly gate: Region;
  readonly identity: WorkerIdentity;
  /** See ../machine/compiled-code.ts; undefined where nothing is noted. */
  readonly mark: string | undefined;
  /** On which it hears its orders, and puts what its runner has counted. */
  readonly port: MessagePort;
  /** Where it leaves what single operations returned, if the race asks for that. */
  readonly excerpt: Region | undefined;
  /** What it will race, imported before it says that it has started. */
  readonly body:
    | {
        readonly kind: "race";
        readonly lab: string | undefined;
        readonly moduleUrl: string;
        readonly scenario: string;
        readonly competitorUrl: string;
        /** uint32 of the fork: see `Lab.load`. */
        readonly seed: number;
        /** As in the crew's plan. */
        readonly extraWork: number;
      }
    | { readonly kind: "control" | "empty" };
}

/** The orders of a worker thread, in this sequence. */
export type WorkerOrder =
  | {
      readonly kind: "attach";
      readonly setup: Setup<unknown>;
      readonly shared: unknown;
      /** Where to allocate, and by which number the crew enters it in its slices; separately if absent. */
      readonly arena?: {
        readonly arena: Arena;
        readonly crew: number;
        readonly taken: readonly LinearMemory[];
      };
    }
  /** From now on it serves at the gate. */
  | { readonly kind: "serve"; readonly copies: readonly Copy[] };

/**
 * What a worker thread says, while its crew attaches and when it has raced. At the end of a slice that is to give an account it puts the counters
 * of its runner on its port, before it parks. All else that it has done stands in the words that it shares with the
 * coordinator.
 */
export type WorkerMessage =
  | { readonly kind: "started"; readonly index: number; readonly thread: ThreadNumbers }
  | {
      readonly kind: "attached";
      readonly index: number;
      readonly strays: number;
      /** Memories of the arena that it has taken besides those in its order. */
      readonly taken: readonly LinearMemory[];
    }
  /** After the last slice. */
  | { readonly kind: "allocated"; readonly index: number; readonly allocation: Allocation };

/** What a worker puts on its port as its account: what its runner has counted by itself. */
export type WorkCounted = WorkDone["counters"];

/** How Node and, where it reports it, the kernel number a worker's thread. */
export interface ThreadNumbers {
  readonly node: number;
  readonly kernel: number | undefined;
}
