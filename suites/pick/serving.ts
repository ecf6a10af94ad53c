import TinyQueue from "tinyqueue";
import { played } from "../../structures/pick/parts/simulation.ts";
import type { PickCompetitor, Picker, PickSetup, Probes } from "../../structures/pick/pick.contract.ts";
import { makePicker, type PickInstance } from "../../structures/pick/pick.instance.ts";
import { Random } from "../../structures/shared/sfc32.ts";
import { derivedSeed } from "../../structures/shared/worker-identity.ts";
import { mean } from "../engine/statistics.ts";
import { SharedProcessor } from "./processor-sharing.ts";

/**
 * Requests that take time, at backends that differ and change, in simulated time: which request ends when, if this picker
 * sends them. Several processes balance over the same backends, each with an instance of its own. Each thus knows only
 * its own part of the loads.
 */
export interface Serving {
  readonly backends: number;
  readonly processes: number;
  /** Of each process. */
  readonly workers: number;
  /** Work that comes, as a share of what all backends together can do on average. */
  readonly utilisation: number;
  /** For how long requests come. Requests in flight then are served to their end. */
  readonly seconds: number;
}

export interface ServingSeen {
  /** Of every request that ended, from its pick to its end, rising. */
  readonly latenciesMs: Float64Array;
  /** Requests that came. */
  readonly requests: number;
  /** Work that came and work that was done, in ms of a backend of speed 1. */
  readonly offeredMs: number;
  readonly doneMs: number;
  /** By how many requests in flight the busiest backend is ahead of the mean one, on average. */
  readonly ahead: number;
  readonly probes: number;
  /** Requests that the pickers of all processes hold to be in flight at the end, where they show it. */
  readonly unreleased: number;
}

/** How long a mean request takes, alone at a backend of speed 1. */
const MEAN_MS = 10;
/**
 * Work is bounded Pareto, a usual model of heavy-tailed service times: M. Harchol-Balter, M. Crovella, C. Murta, "On
 * Choosing a Task Assignment Policy for a Distributed Server System" (1999). Of a thousand requests one is over 100 times
 * as large as the smallest.
 */
const PARETO = { exponent: 1.5, largestToSmallest: 1_000 } as const;

/** Every second backend is of a newer generation. Pickers that take weights get these. */
const GENERATIONS = [
  { speed: 1, weight: 5 },
  { speed: 1.4, weight: 7 },
] as const;
/** Prequal's antagonists: for exponential times something else takes a part of a backend's speed, unannounced. */
const ANTAGONIST = { leaves: 0.5, hereMs: 1_000, awayMs: 3_000 } as const;
/** From sending a probe until its answer is heard, which says how the backend was when it was sent. */
const PROBE_MS = 1;

/** Loads are looked at once in this number of arrivals. */
const ARRIVALS_PER_LOOK = 16;

/** What is drawn comes from streams apart, so that all pickers face the same requests and antagonists. */
const STREAM = { arrivals: 0, work: 1, callers: 2, antagonists: 3 } as const;

export function serve(competitor: PickCompetitor, serving: Serving, seed: number): ServingSeen {
  const served = new ServedRequests(competitor, serving, seed);
  while (served.step());
  return served.seen();
}

/** What a picker would be refused with, or undefined. */
export function refusalOf(competitor: PickCompetitor, { backends }: Serving): string | undefined {
  return competitor.refuses?.({ backends, ...weightsFor(competitor, backends) });
}

/** Conservation: all requests that came have ended, the work that came was done, and every picker heard of all ends. */
export function requestsAreServed(seen: ServingSeen): string | undefined {
  const { latenciesMs, requests, offeredMs, doneMs, unreleased } = seen;
  const lost = requests - latenciesMs.length;
  if (lost !== 0) return `requestsAreServed: of ${requests} requests ${lost} did not end`;
  if (Math.abs(doneMs - offeredMs) > ROUNDING * offeredMs)
    return `requestsAreServed: ${offeredMs} ms of work came, ${doneMs} were done`;
  if (unreleased !== 0) return `requestsAreServed: ${unreleased} requests are under way that have ended`;
  return undefined;
}

/** What adding up a million numbers may lose. */
const ROUNDING = 1e-9;

/** An answer on its way to the worker that asked. */
interface Answer {
  readonly heardMs: number;
  readonly to: Probes;
  readonly backend: number;
  readonly inFlight: number;
  readonly latencyMs: number;
}

class ServedRequests {
  readonly #competitor: PickCompetitor;
  readonly #instances: readonly PickInstance[];
  /** The workers of all processes. */
  readonly #callers: readonly { readonly picker: Picker; readonly step: () => void }[];
  readonly #backends: readonly SharedProcessor[];
  readonly #antagonists: Antagonists;
  readonly #answers = new TinyQueue<Answer>([], (one, other) => one.heardMs - other.heardMs);
  readonly #draws: Readonly<Record<Exclude<keyof typeof STREAM, "antagonists">, Random>>;
  readonly #everyMs: number;
  readonly #lastMs: number;
  #nowMs = 0;
  #arrivalMs: number;
  #requests = 0;
  #offeredMs = 0;
  #probes = 0;
  readonly #latenciesMs: number[] = [];
  readonly #looks: number[] = [];

  constructor(competitor: PickCompetitor, serving: Serving, seed: number) {
    this.#competitor = competitor.latencies?.byClock(() => this.#nowMs) ?? competitor;
    const drawn = (stream: keyof typeof STREAM) => new Random(seed, STREAM[stream]);
    this.#draws = { arrivals: drawn("arrivals"), work: drawn("work"), callers: drawn("callers") };
    this.#instances = instancesOf(this.#competitor, serving, seed);
    this.#callers = this.#instances.flatMap((instance) => {
      const { pickers, step } = played(this.#competitor, instance);
      return pickers.map((picker) => ({ picker, step }));
    });
    this.#backends = Array.from(
      { length: serving.backends },
      (_, backend) => new SharedProcessor(generationOf(backend).speed),
    );
    this.#antagonists = new Antagonists(this.#backends, drawn("antagonists"));
    this.#everyMs = MEAN_MS / (serving.utilisation * capacityOf(serving));
    this.#lastMs = serving.seconds * 1_000;
    this.#arrivalMs = exponential(this.#draws.arrivals, this.#everyMs);
  }

  /** Does the next step; false if there is none, because all requests have ended. */
  step(): boolean {
    const backend = this.#firstToEnd();
    const heardMs = this.#answers.peek()?.heardMs ?? Number.POSITIVE_INFINITY;
    const nextMs = Math.min(this.#arrivalMs, heardMs, backend.endMs);
    if (nextMs === Number.POSITIVE_INFINITY) return false;
    if (this.#antagonists.nextMs < nextMs) {
      this.#antagonists.step();
      return true;
    }
    this.#nowMs = nextMs;
    if (nextMs === backend.endMs) this.#latenciesMs.push(backend.end());
    else if (nextMs === heardMs) this.#hear(this.#answers.pop()!);
    else this.#arrive(nextMs);
    return true;
  }

  seen(): ServingSeen {
    const inFlight = this.#instances.flatMap(
      ({ memory, setup }) => this.#competitor.inspect(memory, setup).inFlight ?? [],
    );
    return {
      latenciesMs: Float64Array.from(this.#latenciesMs).sort(),
      requests: this.#requests,
      offeredMs: this.#offeredMs,
      doneMs: sumOf(this.#backends.map(({ doneMs }) => doneMs)),
      ahead: mean(this.#looks),
      probes: this.#probes,
      unreleased: sumOf(inFlight),
    };
  }

  #firstToEnd(): SharedProcessor {
    let first = this.#backends[0]!;
    for (const backend of this.#backends) if (backend.endMs < first.endMs) first = backend;
    return first;
  }

  #arrive(nowMs: number): void {
    const { picker, step } = this.#callers[this.#draws.callers.below(this.#callers.length)]!;
    picker.probes?.advance(nowMs);
    const picked = picker.pick();
    step();
    const workMs = pareto(this.#draws.work);
    this.#offeredMs += workMs;
    this.#backends[picked]!.begin(nowMs, workMs, () => {
      picker.latencies?.report(picked, this.#nowMs - nowMs);
      picker.release?.(picked);
    });
    if (picker.probes !== undefined) this.#send(picker.probes, nowMs);
    if (this.#requests++ % ARRIVALS_PER_LOOK === 0) this.#look();
    const arrivalMs = nowMs + exponential(this.#draws.arrivals, this.#everyMs);
    this.#arrivalMs = arrivalMs < this.#lastMs ? arrivalMs : Number.POSITIVE_INFINITY;
  }

  #send(to: Probes, nowMs: number): void {
    for (let backend = to.next(); backend !== -1; backend = to.next()) {
      const { inFlight, latencyMs } = this.#backends[backend]!;
      this.#answers.push({ heardMs: nowMs + PROBE_MS, to, backend, inFlight, latencyMs });
      this.#probes++;
    }
  }

  #hear({ heardMs, to, backend, inFlight, latencyMs }: Answer): void {
    to.advance(heardMs);
    to.answer(backend, inFlight, latencyMs);
  }

  #look(): void {
    const loads = this.#backends.map(({ inFlight }) => inFlight);
    this.#looks.push(Math.max(...loads) - mean(loads));
  }
}

/** When a backend's antagonist comes or goes. */
interface Turn {
  readonly atMs: number;
  readonly backend: number;
  readonly comes: boolean;
}

/** What comes and goes on each backend, from a moment on at which it has done so for ever. */
class Antagonists {
  nextMs = 0;
  readonly #draws: Random;
  readonly #turns = new TinyQueue<Turn>([], (one, other) => one.atMs - other.atMs);
  readonly #backends: readonly SharedProcessor[];

  constructor(backends: readonly SharedProcessor[], draws: Random) {
    this.#backends = backends;
    this.#draws = draws;
    for (const backend of backends.keys()) this.#turn(backend, 0, draws.fraction() < HERE_SHARE);
  }

  step(): void {
    const { atMs, backend, comes } = this.#turns.pop()!;
    this.#turn(backend, atMs, comes);
  }

  #turn(backend: number, nowMs: number, isHere: boolean): void {
    const { speed } = generationOf(backend);
    this.#backends[backend]!.turn(nowMs, isHere ? speed * ANTAGONIST.leaves : speed);
    const staysMs = exponential(this.#draws, isHere ? ANTAGONIST.hereMs : ANTAGONIST.awayMs);
    this.#turns.push({ atMs: nowMs + staysMs, backend, comes: !isHere });
    this.nextMs = this.#turns.peek()!.atMs;
  }
}

const HERE_SHARE = ANTAGONIST.hereMs / (ANTAGONIST.hereMs + ANTAGONIST.awayMs);

function generationOf(backend: number): (typeof GENERATIONS)[number] {
  return GENERATIONS[backend % GENERATIONS.length]!;
}

/** What all backends can do on average: ms of work, of a backend of speed 1, in a ms. */
function capacityOf({ backends }: Serving): number {
  const speeds = Array.from({ length: backends }, (_, backend) => generationOf(backend).speed);
  return sumOf(speeds) * (1 - HERE_SHARE * (1 - ANTAGONIST.leaves));
}

function instancesOf(
  competitor: PickCompetitor,
  { backends, processes, workers }: Serving,
  seed: number,
): PickInstance[] {
  return Array.from({ length: processes }, (_, process) =>
    makePicker(competitor, {
      backends,
      workers,
      seed: derivedSeed(seed, process),
      ...weightsFor(competitor, backends),
    }),
  );
}

function weightsFor(competitor: PickCompetitor, backends: number): Pick<PickSetup, "weights"> {
  if (competitor.shareBound === undefined) return {};
  return { weights: Array.from({ length: backends }, (_, backend) => generationOf(backend).weight) };
}

function exponential(draws: Random, mean: number): number {
  return -mean * Math.log(1 - draws.fraction());
}

/** The work of a request, in ms of a backend of speed 1. */
function pareto(draws: Random): number {
  const { exponent, largestToSmallest } = PARETO;
  const below = draws.fraction() * (1 - largestToSmallest ** -exponent);
  return SMALLEST_MS / (1 - below) ** (1 / exponent);
}

/** What makes the mean MEAN_MS. */
const SMALLEST_MS = (() => {
  const { exponent, largestToSmallest } = PARETO;
  const meanOfSmallest =
    ((exponent / (exponent - 1)) * (1 - largestToSmallest ** (1 - exponent))) /
    (1 - largestToSmallest ** -exponent);
  return MEAN_MS / meanOfSmallest;
})();

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
