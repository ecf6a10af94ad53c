import type { CrewResult, Failure, MeasureOrder } from "../plan/protocol.ts";

/** The module by which a fork starts remote processes. */
export const { href: REMOTE_CREWS } = new URL("./remote-crew.ts", import.meta.url);

/** What a fork asks of a remote process, of one of its crews and one at a time. Before that it sends its job. */
export type RemoteOrder = { readonly crew: number } & (
  | { readonly kind: "start" | "attach" | "warm-up" | "result" }
  | { readonly kind: "measure"; readonly round: number; readonly order: MeasureOrder }
);

/** What it answers: how the crew is, and what was asked for. */
export interface RemoteAnswer {
  readonly failure?: Failure | undefined;
  /** To `start`; null where the kernel does not report it. */
  readonly kernelThreads?: readonly (number | null)[];
  /** To `measure`, by worker; none where the slice was not kept. */
  readonly tagNs?: readonly number[];
  /** To `result`. */
  readonly result?: CrewResult;
}

/** What it says in place of an answer, before it ends: an exception outside of any call. */
export interface RemoteFault {
  readonly fault: string;
  /** Set where the instrument found itself broken, and no crew is to blame. */
  readonly isInstruments?: true;
}
