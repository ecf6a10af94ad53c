import type { IncomingMessage } from "node:http";
import type { Dispatcher } from "undici";
import type { Examination } from "../shared/contract.ts";
import { examined, firstLine } from "../shared/examination.ts";
import { LocalOrigin } from "./parts/local-origin.ts";
import { contract, type Upstreams, type UpstreamsCompetitor } from "./upstreams.contract.ts";
import {
  abortsAreForgiven,
  abortsEndWithTheirReason,
  closeWaits,
  drainsAsClaimed,
  eachEndsOnce,
  eachIsSentOnce,
  everyMemberIsAsked,
  failingAreSpared,
  fixedOnesSaySo,
  hostIsTheOrigins,
  membersAreAsked,
  slowAreSpared,
  type UpstreamsEvent,
  unavailableAreSpared,
  wrongInputIsRefused,
} from "./upstreams.laws.ts";

/** Every law applied to one competitor over real servers of this process, which answer when they are asked to. */
export const examination = {
  tries:
    "requests to three local servers, one of which stalls, cuts answers, refuses, is drained, or is down",
  examine: (url) => examined(url, contract, lawsBroken),
} satisfies Examination;

const ORIGINS = 3;
/** One after another. Of three origins, one at random comes up at all but once in 10^10 times. */
const REQUESTS = 60;
/** Of these, one at random has a quarter of its share but once in 10^6 times. */
const REQUESTS_AFTER_ABORTS = 90;
const AT_ONCE = 12;
/** What has not ended by then never will: everything is local. Only a broken competitor waits for it. */
const MOST_MS = 500;

async function lawsBroken(competitor: UpstreamsCompetitor): Promise<(string | undefined)[]> {
  const sentences: (string | undefined)[] = [];
  for (const law of [evenLaws, heldLaws, drainLaws, cutLaws, unavailableLaws, downLaws, closeLaws]) {
    const origins = await Promise.all(Array.from({ length: ORIGINS }, () => LocalOrigin.open()));
    try {
      const trial = new Trial(competitor, origins);
      try {
        for await (const sentence of law(trial, competitor)) sentences.push(sentence);
      } catch (error) {
        sentences.push(`nothingIsThrown: ${firstLine(String(error))}`);
      }
      sentences.push(
        eachEndsOnce(trial.events),
        eachIsSentOnce(trial.events),
        membersAreAsked(trial.events),
        hostIsTheOrigins(
          trial.events,
          origins.map(({ url }) => new URL(url).host),
        ),
      );
      await trial.end();
    } finally {
      // Also where the competitor could not even be made: a server left open keeps the process alive.
      await Promise.all(origins.map((origin) => origin.close().catch(() => {})));
    }
  }
  return sentences;
}

/** All answer. */
async function* evenLaws(trial: Trial, competitor: UpstreamsCompetitor) {
  await trial.inTurn(REQUESTS);
  await trial.all(trial.atOnce(AT_ONCE));
  yield everyMemberIsAsked(trial.counts());
  const { upstreams } = trial;
  const [{ url }] = trial.origins as [LocalOrigin];
  const accepted: string[] = [];
  const refuses = async (what: string, does: () => unknown) => {
    try {
      await does();
      accepted.push(what);
    } catch (error) {
      if (String(error).includes("\n")) accepted.push(`${what} in one line`);
    }
  };
  await refuses("create for an ftp URL", () => competitor.create(["ftp://127.0.0.1"], {}));
  if (competitor.drains === "never") {
    await refuses("add", () => upstreams.add("http://127.0.0.1:1"));
    await refuses("drain", () => upstreams.drain(url));
    yield fixedOnesSaySo(accepted);
    return;
  }
  await refuses("add of a member", () => upstreams.add(url));
  await refuses("drain of no member", () => upstreams.drain("http://127.0.0.1:1"));
  yield wrongInputIsRefused(accepted);
}

/** The first holds what it receives; then it is given up, and the first answers like the others. */
async function* heldLaws(trial: Trial, { byLoad }: UpstreamsCompetitor) {
  const [first] = trial.origins as [LocalOrigin];
  first.does = "holds";
  await trial.inTurn(REQUESTS);
  if (byLoad) yield slowAreSpared(trial.counts()[0]!, REQUESTS, ORIGINS);
  // At once, so that even one that goes by load gives it several.
  await trial.allButHeld(trial.atOnce(AT_ONCE));
  const reasons = new Map<number, unknown>();
  for (const request of trial.held(0)) {
    const reason = new Error(`request ${request} is given up`);
    reasons.set(request, reason);
    trial.abort(request, reason);
  }
  first.answer();
  const before = trial.counts()[0]!;
  await trial.inTurn(REQUESTS_AFTER_ABORTS);
  yield abortsEndWithTheirReason(trial.events, reasons);
  yield abortsAreForgiven(trial.counts()[0]! - before, REQUESTS_AFTER_ABORTS, ORIGINS);
}

/** The first is drained while it holds requests, and added anew. */
async function* drainLaws(trial: Trial, { drains }: UpstreamsCompetitor) {
  if (drains === "never") return;
  const [first] = trial.origins as [LocalOrigin];
  first.does = "holds";
  await trial.allButHeld(trial.atOnce(AT_ONCE));
  const drained = trial.drain(0);
  await trial.inTurn(REQUESTS);
  first.answer();
  await trial.all();
  await within(drained);
  const before = trial.counts()[0]!;
  trial.add(0);
  await trial.inTurn(REQUESTS);
  yield everyMemberIsAsked([trial.counts()[0]! - before, ...trial.counts().slice(1)]);
  if (drains === "waits") yield drainsAsClaimed(trial.events);
}

/** The first cuts the connection of what it receives: whatever is lost by that, nothing is sent again. */
async function* cutLaws(trial: Trial) {
  const [first] = trial.origins as [LocalOrigin];
  first.does = "cuts";
  await trial.inTurn(REQUESTS);
  yield everyMemberIsAsked(trial.counts());
}

/** The first answers with 503. */
async function* unavailableLaws(trial: Trial, { byStatus }: UpstreamsCompetitor) {
  const [first] = trial.origins as [LocalOrigin];
  first.does = "refuses";
  await trial.inTurn(REQUESTS);
  if (byStatus) yield unavailableAreSpared(trial.counts()[0]!, REQUESTS, ORIGINS);
}

/** The first refuses connections. */
async function* downLaws(trial: Trial, { ejects }: UpstreamsCompetitor) {
  const [first] = trial.origins as [LocalOrigin];
  await first.close();
  await trial.inTurn(100);
  if (ejects) yield failingAreSpared(trial.failed());
}

/** All hold what they receive when it is closed. */
async function* closeLaws(trial: Trial) {
  for (const origin of trial.origins) origin.does = "holds";
  const requests = trial.atOnce(AT_ONCE);
  await trial.allButHeld(requests);
  const closed = trial.close();
  const [late] = trial.atOnce(1) as [number];
  await new Promise(setImmediate);
  for (const origin of trial.origins) origin.answer();
  await trial.all();
  await within(closed);
  yield closeWaits(trial.events, late);
}

/** How many there have been in this process. */
let trials = 0;

/** One set of upstreams over local origins, and what was observed of it. */
class Trial {
  readonly events: UpstreamsEvent[] = [];
  readonly upstreams: Upstreams;
  readonly origins: readonly LocalOrigin[];
  readonly #requests: Request[] = [];
  /** Of the paths of its requests: no other trial has it, of this process or of another. */
  readonly #prefix = `/${process.pid}-${++trials}/`;
  #isClosed = false;

  constructor(competitor: UpstreamsCompetitor, origins: readonly LocalOrigin[]) {
    this.origins = origins;
    for (const [origin, server] of origins.entries()) {
      this.events.push({ what: "added", origin });
      server.on("received", ({ url, headers }: IncomingMessage) => {
        // The port of an origin that was closed may be another process's by now, whose requests come here.
        if (!url!.startsWith(this.#prefix)) return;
        const request = Number(url!.slice(this.#prefix.length));
        this.events.push({ what: "received", request, origin, host: headers.host ?? "" });
        this.#requests[request]!.received(origin);
      });
    }
    this.upstreams = competitor.create(
      origins.map(({ url }) => url),
      {},
    );
  }

  /** Requests one after another. Behind one that is held, the next does not wait. */
  async inTurn(count: number): Promise<void> {
    for (let request = 0; request < count; request++) await this.allButHeld(this.atOnce(1));
  }

  /** Dispatches them, and returns their numbers. */
  atOnce(count: number): number[] {
    return Array.from({ length: count }, () => {
      const number = this.#requests.length;
      const request = new Request((error) =>
        this.events.push({ what: "ended", request: number, ...(error === undefined ? {} : { error }) }),
      );
      this.#requests.push(request);
      this.events.push({ what: "dispatched", request: number });
      const options = {
        origin: "http://upstreams.test",
        path: `${this.#prefix}${number}`,
        method: "GET",
      } as const;
      try {
        this.upstreams.dispatcher.dispatch(options, request.handler);
      } catch (error) {
        request.end(error);
      }
      return number;
    });
  }

  async all(requests: readonly number[] = [...this.#requests.keys()]): Promise<void> {
    await within(Promise.all(requests.map((request) => this.#requests[request]!.ended)));
  }

  async allButHeld(requests: readonly number[]): Promise<void> {
    const settled = requests.map((number) => {
      const request = this.#requests[number]!;
      const isHeld = request.reached.then((origin) =>
        this.origins[origin]!.does === "holds" ? undefined : request.ended,
      );
      return Promise.race([isHeld, request.ended]);
    });
    await within(Promise.all(settled));
  }

  /** The requests that this origin has received and not answered. */
  held(origin: number): number[] {
    return [...this.#requests.keys()].filter((number) => {
      const request = this.#requests[number]!;
      return request.at === origin && !request.isOver;
    });
  }

  abort(request: number, reason: Error): void {
    this.#requests[request]!.abort(reason);
  }

  /** How many requests each origin has received. */
  counts(): number[] {
    return this.origins.map(
      (_, origin) =>
        this.events.filter((event) => event.what === "received" && event.origin === origin).length,
    );
  }

  failed(): number {
    return this.events.filter((event) => event.what === "ended" && event.error !== undefined).length;
  }

  add(origin: number): void {
    this.events.push({ what: "added", origin });
    this.upstreams.add(this.origins[origin]!.url);
  }

  async drain(origin: number): Promise<void> {
    this.events.push({ what: "drain", origin });
    try {
      await this.upstreams.drain(this.origins[origin]!.url);
      this.events.push({ what: "drained", origin });
    } catch {
      // It has not ended, then.
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.upstreams.close();
    this.events.push({ what: "closed" });
  }

  async end(): Promise<void> {
    if (!this.#isClosed) await within(this.upstreams.close());
    await within(this.upstreams.dispatcher.destroy());
  }
}

/** A request of the trial, by the interface that handlers have from undici 7 on. */
class Request {
  readonly handler: Dispatcher.DispatchHandler = {
    onRequestStart: (controller) => {
      this.#controller = controller;
      if (this.#reason !== undefined) controller.abort(this.#reason);
    },
    onResponseStart() {},
    onResponseData() {},
    onResponseEnd: () => this.end(undefined),
    onResponseError: (_controller, error) => this.end(error),
  };
  readonly ended: Promise<void>;
  /** Resolves with the first origin that received it. */
  readonly reached: Promise<number>;
  at: number | undefined;
  isOver = false;
  readonly #heard: (error: unknown) => void;
  #resolveEnded!: () => void;
  #resolveReached!: (origin: number) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #reason: Error | undefined;

  constructor(heard: (error: unknown) => void) {
    this.#heard = heard;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    this.reached = new Promise((resolve) => {
      this.#resolveReached = resolve;
    });
  }

  received(origin: number): void {
    this.at = origin;
    this.#resolveReached(origin);
  }

  end(error: unknown): void {
    this.isOver = true;
    this.#heard(error);
    this.#resolveEnded();
  }

  abort(reason: Error): void {
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}

/** Resolves when the promise does, or rejects, or has taken too long: what was observed by then says which. */
async function within(promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, MOST_MS);
  });
  await Promise.race([promise.catch(() => {}), late]);
  clearTimeout(timer);
}
