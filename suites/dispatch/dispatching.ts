import type { DispatchCompetitor, DispatchList } from "../../structures/dispatch/dispatch.contract.ts";
import { type CurvePoint, type Runner, race } from "../engine/race.ts";
import type { Scenario } from "../shared/vocabulary.ts";
import { fleetLaw, INTERVAL, type Params } from "./beating.ts";

export const SIZES = [
  ["10k", 10_000],
  ["100k", 100_000],
  ["1m", 1_000_000],
] as const;
export const SMALL = SIZES[0][1];
export const SMOKE_CLIENTS = 1200;
/** From here on the list, and the clients beside it, do not fit the nearest caches: see `Race.isLarge`. */
export const LARGE = 100_000;
/** More than any list here holds for a client, with the workload beside it. */
const BYTES_PER_CLIENT = 64;

/** A race of one worker and its list. */
export function dispatching({
  scenario,
  title,
  operation,
  params,
  inOrder,
  headline = false,
  curve,
  attach,
}: {
  readonly scenario: string;
  readonly title: string;
  readonly operation: string;
  readonly params: Params;
  /** Whether clients are entered in the order of their deadlines. */
  readonly inOrder: boolean;
  readonly headline?: boolean;
  readonly curve?: string;
  readonly attach: (list: DispatchList, params: Params, seed: number) => Runner;
}): Scenario {
  const { clients } = params;
  return race<DispatchCompetitor, Params, null>({
    scenario,
    title,
    headline,
    operation,
    // The source's fix; where that is left out, the usual way to sort.
    baseline: inOrder || clients <= SMALL ? "sorted-list" : "binary-heap",
    mostWorkers: 1,
    isLarge: ({ clients }) => clients >= LARGE,
    ...(curve === undefined ? {} : { point: { curve, along: "clients", at: clients } satisfies CurvePoint }),
    params: { full: params, smoke: { ...params, clients: SMOKE_CLIENTS } },
    bytesPerWorker: (_competitor, { clients }) => clients * BYTES_PER_CLIENT,
    absent: ({ order, mostOutOfOrder = clients }) => {
      if (inOrder) return undefined;
      if (order === "by deadline") return "late once clients are entered out of order of due";
      return mostOutOfOrder < clients
        ? `not meant for more than ${named(mostOutOfOrder)} clients entered out of order of due`
        : undefined;
    },
    prepare: () => null,
    attach: (competitor, { params }, _shared, { seed }) =>
      attach(competitor.create(params.clients, INTERVAL + params.jitter - 1), params, seed),
    law: (_competitor, _setup, _shared, [work]) => fleetLaw(work!),
  });
}

export function named(clients: number): string {
  return clients.toLocaleString("en");
}
