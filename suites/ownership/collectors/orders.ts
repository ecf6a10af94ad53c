import type { ClaimStream } from "../../../structures/ownership/parts/stream.ts";
import type { CollectorPlan, Tally } from "./collector.ts";
import type { NatsWay } from "./transport.ts";

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
}

export type Answer =
  | { readonly kind: "ready" }
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

export interface CollectorSetup {
  readonly competitorUrl: string;
  readonly node: number;
  readonly nodes: number;
  /** The workload is a file: its agents' reports. */
  readonly plan: Omit<CollectorPlan, "workload"> & { readonly workload: string };
  readonly way: NatsWay;
  readonly firstStep: number;
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
