import type { UpstreamsCompetitor } from "../../structures/upstreams/upstreams.contract.ts";
import { sum } from "../engine/statistics.ts";
import type { Metric } from "../shared/vocabulary.ts";
import type { Heard } from "./load.ts";
import { type Living, serverOf } from "./servers.ts";

/** What is held against the laws when every request should have ended. */
export interface Accounts {
  /** Requests dispatched, and their ends by an answer or by an error: what the table calls errors. */
  readonly sent: number;
  readonly answered: number;
  readonly failed: number;
  /** Requests that ended more than once. */
  readonly endedAgain: number;
  /** Answers that no server gives to that request. */
  readonly unproven: number;
  /**
   * Requests that a server of those alive has answered, and the client does not know of, or the other way round. One that
   * failed may have been answered.
   */
  readonly unaccounted: number;
  /** Requests that servers have answered more than once. */
  readonly repeated: number;
}

/** `isProven`: whether a server gives this answer to this request. */
export function accountsOf(
  requests: readonly Heard[],
  living: readonly Living[],
  isProven: (answer: string, number: number) => boolean,
): Accounts {
  const served = Map.groupBy(
    living.flatMap(({ name, answered }) => answered.map((number) => ({ name, number }))),
    ({ number }) => number,
  );
  const names = new Set(living.map(({ name }) => name));
  const isAccounted = ({ answer, failed }: Heard, number: number) => {
    const by = answer === undefined ? undefined : serverOf(answer);
    const servers = (served.get(number) ?? []).map(({ name }) => name);
    const isKnown = servers.every((name) => name === by || failed > 0);
    return isKnown && (by === undefined || !names.has(by) || servers.includes(by));
  };
  const unknown = [...served.keys()].filter((number) => requests[number] === undefined);
  return {
    sent: requests.length,
    answered: sum(requests.map(({ answered }) => answered)),
    failed: sum(requests.map(({ failed }) => failed)),
    endedAgain: requests.filter(({ answered, failed }) => answered + failed > 1).length,
    unproven: requests.filter(({ answer }, number) => answer !== undefined && !isProven(answer, number))
      .length,
    unaccounted: requests.filter((request, number) => !isAccounted(request, number)).length + unknown.length,
    repeated: [...served.values()].filter(({ length }) => length > 1).length,
  };
}

/** The same as metrics of a survey. */
export const ACCOUNT_METRICS = {
  sent: { title: "Sent", unit: "", digits: 0 },
  answered: { title: "answered", unit: "", digits: 0 },
  failed: { title: "failed", unit: "", digits: 0 },
  endedAgain: { title: "Ended again", unit: "", digits: 0, over: "greatest" },
  unproven: { title: "Unproven", unit: "", digits: 0, over: "greatest" },
  unaccounted: { title: "Unaccounted", unit: "", digits: 0, over: "greatest" },
  repeated: { title: "Repeated", unit: "", digits: 0, over: "greatest" },
} as const satisfies Record<keyof Accounts, Metric>;

/** Each request that was sent has ended once. */
export function requestsConserved({
  sent,
  answered,
  failed,
  endedAgain,
}: Pick<Accounts, "sent" | "answered" | "failed" | "endedAgain">): string | undefined {
  return sent === answered + failed && endedAgain === 0
    ? undefined
    : `requestsConserved: of ${sent} requests ${answered} were answered and ${failed} failed, and ${endedAgain} ended more than once`;
}

/** Each answer is the one that a server gave to this request. */
export function answersProven({ unproven }: Pick<Accounts, "unproven">): string | undefined {
  return unproven === 0 ? undefined : `answersProven: ${unproven} answers are none that a server gave`;
}

/** What the servers have answered is what the clients have heard, but for requests that failed on the way back. */
export function nothingUnaccounted({ unaccounted }: Pick<Accounts, "unaccounted">): string | undefined {
  return unaccounted === 0
    ? undefined
    : `nothingUnaccounted: of ${unaccounted} requests servers and client do not know the same`;
}

/** No request is answered by two servers, or by one twice. */
export function servedOnce({ repeated }: Pick<Accounts, "repeated">): string | undefined {
  return repeated === 0 ? undefined : `servedOnce: ${repeated} requests were served more than once`;
}

/** Where all servers live until they are drained, no request fails with a dispatcher that waits for them. */
export function drainsWithoutLoss(
  { failed }: Pick<Accounts, "failed">,
  { drains }: Pick<UpstreamsCompetitor, "drains">,
): string | undefined {
  return drains !== "waits" || failed === 0
    ? undefined
    : `drainsWithoutLoss: ${failed} requests failed, though it claims to wait for those in flight`;
}

/** The first law that is broken, if any. */
export function brokenLaw(accounts: Accounts): string | undefined {
  return (
    requestsConserved(accounts) ??
    answersProven(accounts) ??
    nothingUnaccounted(accounts) ??
    servedOnce(accounts)
  );
}
