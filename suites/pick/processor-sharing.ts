import TinyQueue from "tinyqueue";
import { median } from "../engine/statistics.ts";

/** A request in flight at a backend. */
export interface Served {
  readonly beganMs: number;
  /** Requests that the backend had in flight when this one came. */
  readonly found: number;
  /** What every request has had of the backend when this one is done. */
  readonly until: number;
  done(): void;
}

/**
 * A backend that serves all its requests at once, each with an equal part of its speed. This is processor sharing, the
 * usual model of a server whose requests take turns in short slices. What every request has had since the beginning is
 * one number, so that a request is done when that has grown by its work.
 */
export class SharedProcessor {
  /** When the first of the requests in flight is done if nothing changes; Infinity while there is none. */
  endMs = Number.POSITIVE_INFINITY;
  /** ms of a backend of speed 1. */
  doneMs = 0;
  #speed: number;
  #nowMs = 0;
  /** Work that each request in flight has had, counted since the beginning. */
  #had = 0;
  readonly #underWay = new TinyQueue<Served>([], (one, other) => one.until - other.until);
  readonly #latencies = new LatenciesByLoad();

  constructor(speed: number) {
    this.#speed = speed;
  }

  get inFlight(): number {
    return this.#underWay.length;
  }

  /** How long a request may take that comes now: what those took lately that found as many in flight. */
  get latencyMs(): number {
    return this.#latencies.of(this.inFlight);
  }

  /** A request of `workMs` comes; `done` is called when it ends. */
  begin(nowMs: number, workMs: number, done: () => void): void {
    this.#bringTo(nowMs);
    this.#underWay.push({ beganMs: nowMs, found: this.inFlight, until: this.#had + workMs, done });
    this.#plan();
  }

  /** Ends the request that is done at `endMs`, and returns how long it took. */
  end(): number {
    this.#bringTo(this.endMs);
    const { beganMs, found, done } = this.#underWay.pop()!;
    const latencyMs = this.#nowMs - beganMs;
    this.#latencies.add(found, latencyMs);
    this.#plan();
    done();
    return latencyMs;
  }

  /** From now on it is as fast as this. */
  turn(nowMs: number, speed: number): void {
    this.#bringTo(nowMs);
    this.#speed = speed;
    this.#plan();
  }

  #bringTo(nowMs: number): void {
    if (this.inFlight > 0) {
      const workMs = (nowMs - this.#nowMs) * this.#speed;
      this.#had += workMs / this.inFlight;
      this.doneMs += workMs;
    }
    this.#nowMs = nowMs;
  }

  #plan(): void {
    const first = this.#underWay.peek();
    this.endMs =
      first === undefined
        ? Number.POSITIVE_INFINITY
        : this.#nowMs + ((first.until - this.#had) * this.inFlight) / this.#speed;
  }
}

/** Latest latencies of the requests that found the same number in flight. */
class LatenciesByLoad {
  readonly #kept: number[][] = [];

  add(found: number, latencyMs: number): void {
    this.#kept[found] ??= [];
    const kept = this.#kept[found];
    if (kept.push(latencyMs) > LATENCIES_KEPT) kept.shift();
  }

  /** The median at the nearest number of requests that any was seen at, the lower of two; 0 before the first. */
  of(inFlight: number): number {
    const furthest = Math.max(inFlight, this.#kept.length);
    for (let off = 0; off <= furthest; off++) {
      const near = this.#kept[inFlight - off] ?? this.#kept[inFlight + off];
      if (near !== undefined) return median(near);
    }
    return 0;
  }
}

/** Few enough to follow an antagonist, enough that a heavy request does not move their median. */
const LATENCIES_KEPT = 9;
