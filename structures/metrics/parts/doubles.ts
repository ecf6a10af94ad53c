import type { Region } from "../../shared/layout.ts";

/**
 * Doubles that one thread writes and any thread reads, each by one Atomics.store or load of its bits as an int64. So a
 * reader sees only what was stored. Zeroed memory holds 0.
 */
export class Doubles {
  readonly #words: BigInt64Array;
  readonly #double = new Float64Array(1);
  readonly #bits = new BigInt64Array(this.#double.buffer);

  constructor({ buffer, byteOffset, length }: Region) {
    this.#words = new BigInt64Array(buffer, byteOffset, length / WORDS_OF_DOUBLE);
  }

  load(at: number): number {
    this.#bits[0] = Atomics.load(this.#words, at);
    return this.#double[0]!;
  }

  store(at: number, value: number): void {
    this.#double[0] = value;
    Atomics.store(this.#words, at, this.#bits[0]!);
  }
}

export const WORDS_OF_DOUBLE = BigInt64Array.BYTES_PER_ELEMENT / Int32Array.BYTES_PER_ELEMENT;

/**
 * The least and the greatest of a worker's values, all 0 or more, in two doubles. The least is stored with its sign
 * turned, so that the 0 of zeroed memory, which is not -0, says that there is none.
 */
export class Extremes {
  readonly #doubles: Doubles;
  readonly #at: number;
  #least: number;
  #greatest: number;

  constructor(doubles: Doubles, at: number) {
    this.#doubles = doubles;
    this.#at = at;
    ({ least: this.#least, greatest: this.#greatest } = readExtremes(doubles, at));
  }

  include(value: number): void {
    if (value < this.#least) {
      this.#least = value;
      // Makes 0 of -0 first.
      this.#doubles.store(this.#at, -(value + 0));
    }
    if (value > this.#greatest) {
      this.#greatest = value;
      this.#doubles.store(this.#at + 1, value);
    }
  }
}

export const DOUBLES_OF_EXTREMES = 2;

/** Of one worker: Infinity and -Infinity where nothing was included. */
export function readExtremes(
  doubles: Doubles,
  at: number,
): { readonly least: number; readonly greatest: number } {
  const turned = doubles.load(at);
  if (Object.is(turned, 0)) return { least: Number.POSITIVE_INFINITY, greatest: Number.NEGATIVE_INFINITY };
  return { least: -turned, greatest: doubles.load(at + 1) };
}
