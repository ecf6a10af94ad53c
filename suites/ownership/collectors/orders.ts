import type { ClaimStream } from "../../../structures/ownership/parts/stream.ts";
import type { CollectorPlan, Tally } from "./collector.ts";
import type { Way } from "./transport.ts";

/**
 * What a run and its collectors say to each other, beside the transport under test. It is which one begins, how far the
 * run may go, and the results. No claim and no answer depends on it.
 */
export type Order =
  | { readonly kind: "begin"; readonly setup: CollectorSetup }
  | GoOrder
  | { readonly kind: "settle" }
  | { readonly kind: "hold" }
  | { readonly kind: "end" };

/** Goes on to the step `before`, in pace with its peers. */
export interface GoOrder {
  readonly kind: "go";
  readonly before: number;
  readonly peers: readonly number[];
  /**
   * What peers send of this step and later ones is heard when the next order comes. What it knows at the end of this
   * step thus does not depend on how far a peer has gone on since. All is heard at once if absent.
   */
  readonly hearsBefore?: number;
}

export type Answer =
  | { readonly kind: "ready"; readonly replayed: number; readonly replayMs: number }
  | { readonly kind: "at"; readonly step: number; readonly acknowledgedBefore: number }
  | { readonly kind: "settled"; readonly acknowledgedBefore: number }
  | ({ readonly kind: "held" } & Held)
  | { readonly kind: "ended"; readonly report: Report }
  | { readonly kind: "failed"; readonly reason: string };

/** All that a collector knows, and the same in a few words. */
export interface Held {
  readonly holdings: ClaimStream;
  readonly digest: string;
}

/** Where a collector has its agents' reports from: shared memory or a file. */
export type WorkloadSource = Int32Array | string;

export interface CollectorSetup {
  readonly competitorUrl: string;
  readonly node: number;
  readonly nodes: number;
  readonly plan: Omit<CollectorPlan, "workload"> & { readonly workload: WorkloadSource };
  readonly way: Way;
  readonly firstStep: number;
  readonly unruly?: Unruliness;
}

/** How messages are doubled and overtake each other on their last mile, from a seed. */
export interface Unruliness {
  readonly seed: number;
  /** Share that comes twice. */
  readonly doubled: number;
  /** A message is late by up to this number of turns of the event loop, each time it comes. */
  readonly turnsMost: number;
}

/** What a collector reports when the run is over. */
export interface Report {
  readonly tally: Tally;
  /** From its first step on, of its thread or process alone. */
  readonly cpuMs: number;
  readonly wallMs: number;
  /** Of what it keeps in typed arrays, the most there was. */
  readonly mostBytes: number | undefined;
  readonly sentBytes: number;
  readonly sentClaims: number;
  readonly messages: Messages;
  /** From a peer's sending to its being heard, in us. */
  readonly heardAfterUs: { readonly p50: number; readonly p99: number };
}

/** Messages by what became of them. */
export interface Messages {
  readonly sent: number;
  readonly heard: number;
  readonly replayed: number;
  /** Sent again because they were not acknowledged, and never acknowledged at all. */
  readonly repeated: number;
  readonly givenUp: number;
  /** Heard, but nonsense. */
  readonly unreadable: number;
  /** How often the transport had been away. */
  readonly returns: number;
}
