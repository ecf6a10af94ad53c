import type { Message } from "../../structures/queues/queues.contract.ts";

/** What a message is: some words, or a frame of some bytes. */
export interface Shape {
  readonly messages: "words" | "frames";
  /** Words, or bytes; a frame has at least 8. */
  readonly length: number;
}

/**
 * A message that says what it is: the producer that sent it and its number among all of that producer. Both stand at the
 * beginning, and the last word depends on both, so that a message made of two, or cut off, is noticed. What is between is not
 * looked at: that would cost more than to pass it on.
 */
export class Payload {
  readonly message: Message;
  /** The words at the beginning and the end of it. */
  readonly #words: Int32Array;
  readonly #last: number;

  constructor({ messages, length }: Shape) {
    const bytes = messages === "words" ? length * Int32Array.BYTES_PER_ELEMENT : length;
    const buffer = new ArrayBuffer(bytes);
    this.#words = new Int32Array(buffer, 0, Math.floor(bytes / Int32Array.BYTES_PER_ELEMENT));
    this.#last = this.#words.length - 1;
    this.message = messages === "words" ? this.#words : new Uint8Array(buffer);
  }

  write(producer: number, number: number): void {
    const words = this.#words;
    words[0] = number;
    words[this.#last] = sealOf(producer, number);
  }

  /** The number, where the message is one that a producer of `producers` wrote. */
  get number(): number {
    return this.#words[0]!;
  }

  /** Who wrote it, or -1 where no producer wrote such a message. */
  producerOf(producers: number): number {
    const producer = (this.#words[this.#last]! - sealOf(0, this.number)) | 0;
    return producer >= 0 && producer < producers ? producer : -1;
  }
}

/** A word that changes in all its bits from number to number, and by the producer. Memory that is 0 is no message. */
function sealOf(producer: number, number: number): number {
  return (Math.imul(number, 0x9e3779b1) + producer + 1) | 0;
}

/** The numbers that one consumer received of one producer. */
export class Received {
  count = 0;
  /** Modulo 2^32. */
  sum = 0;
  /** Whether each was greater than the one before. */
  inOrder = true;
  #last = -1;

  add(number: number): void {
    if (number <= this.#last) this.inOrder = false;
    this.#last = number;
    this.count++;
    this.sum = (this.sum + number) | 0;
  }
}

/** The sum of 0 .. count - 1, modulo 2^32. */
export function sumBelow(count: number): number {
  return count % 2 === 0 ? Math.imul(count / 2, count - 1) : Math.imul(count, (count - 1) / 2);
}
