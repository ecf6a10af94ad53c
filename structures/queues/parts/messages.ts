import type { Message, QueueSetup, QueuesCompetitor } from "../queues.contract.ts";

/**
 * Messages that say whose they are, which one, and whether they are whole. Laws, models and tests send them. A message is
 * known by one number: its producer, and how many that one sent before.
 */
export const MOST_SENT = 2 ** 24;
export const numberOf = (producer: number, nth: number) => producer * MOST_SENT + nth;
export const producerOf = (number: number) => Math.floor(number / MOST_SENT);
export const nthOf = (number: number) => number % MOST_SENT;

/** What `check` returns of a message that is not as it was sent. */
export const TORN = -1;

export interface Messages {
  /** The message with this number. The array is the same for all calls, where lengths allow. */
  make(number: number): Message;
  /** Room for any message. */
  readonly room: Message;
  /** The number of the message of this length in `room`, or TORN. */
  check(length: number): number;
}

export function messagesFor(
  { messages }: Pick<QueuesCompetitor, "messages">,
  { longest }: Pick<QueueSetup, "longest">,
): Messages {
  return messages === "words" ? wordMessages(longest) : frames(longest);
}

/** The number, and in each further word another that follows from it. */
function wordMessages(width: number): Messages {
  const message = new Int32Array(width);
  const room = new Int32Array(width);
  return {
    make(number) {
      for (let word = 0; word < width; word++) message[word] = number + word * SALT;
      return message;
    },
    room,
    check(length) {
      const number = room[0]!;
      if (length !== width) return TORN;
      for (let word = 1; word < width; word++) if (room[word] !== ((number + word * SALT) | 0)) return TORN;
      return number;
    },
  };
}

/** Length and bytes follow from the number, which is in the first four. `longest` is 4 or more. */
function frames(longest: number): Messages {
  const bytes = new Uint8Array(longest);
  const view = new DataView(bytes.buffer);
  const room = new Uint8Array(longest);
  const sent = new DataView(room.buffer);
  const lengthOf = (number: number) => 4 + ((Math.imul(number + 1, SALT) >>> 8) % (longest - 3));
  return {
    make(number) {
      const length = lengthOf(number);
      view.setInt32(0, number);
      for (let at = 4; at < length; at++) bytes[at] = number + at * 31;
      return bytes.subarray(0, length);
    },
    room,
    check(length) {
      const number = length < 4 ? TORN : sent.getInt32(0);
      if (length < 4 || length !== lengthOf(number)) return TORN;
      for (let at = 4; at < length; at++) if (room[at] !== ((number + at * 31) & 255)) return TORN;
      return number;
    },
  };
}

/** Odd, so that neighbours differ in all parts. */
const SALT = 0x9e3779b1 | 0;
