import type { ClaimStream } from "../../../structures/ownership/parts/stream.ts";

/** What a collector sends its peers: claims of one step of the run, all of them or a part. */
export interface ClaimBatch {
  /** The collector that sends it. */
  readonly from: number;
  readonly step: number;
  /** Whether no more claims of the step follow. */
  readonly isLast: boolean;
  /** When it was sent, in us of the machine's monotonic clock, which its processes share. */
  readonly sentUs: number;
  readonly claims: ClaimStream;
}

/**
 * Columns behind a head, little-endian words of 32 bits but for two of the head, which are float64:
 *
 *     byte  0  MARK          byte  4  from         byte  8  step         byte 12  1 if it is the last of its step
 *     byte 16  sentUs        byte 24  base: the earliest start, in ms
 *     byte 32  count of claims                     byte 36  0
 *     byte 40  resources, count words
 *              owners
 *              starts, as ms since the base
 *              lengths, in ms
 */
export function encode({
  from,
  step,
  isLast,
  sentUs,
  claims: { resources, owners, starts, ends },
}: ClaimBatch): Uint8Array {
  const count = resources.length;
  const base = count === 0 ? 0 : starts.reduce((earliest, start) => Math.min(earliest, start));
  const buffer = new ArrayBuffer(HEAD_BYTES + CLAIM_BYTES * count);
  new Uint32Array(buffer, 0, 4).set([MARK, from, step, isLast ? 1 : 0]);
  new Float64Array(buffer, 16, 2).set([sentUs, base]);
  new Uint32Array(buffer, 32, 1)[0] = count;
  const [resourceWords, ownerWords, startWords, lengthWords] = columnsOf(buffer, count);
  resourceWords.set(resources);
  ownerWords.set(owners);
  for (let claim = 0; claim < count; claim++) {
    const start = starts[claim]!;
    const end = ends[claim]!;
    if (end - base > MOST_MS) throw new RangeError(`claims of ${end - base} ms are too long for one batch`);
    startWords[claim] = start - base;
    lengthWords[claim] = end - start;
  }
  return new Uint8Array(buffer);
}

/** What was written elsewhere is read with mistrust: throws a RangeError for nonsense. */
export function decode(message: Uint8Array): ClaimBatch {
  const count = (message.length - HEAD_BYTES) / CLAIM_BYTES;
  if (!(Number.isInteger(count) && count >= 0))
    throw new RangeError("a message has not the length of a batch of claims");
  // A message may begin anywhere in the bytes from the network, and words have to be aligned.
  const buffer = new Uint8Array(message).buffer;
  const [mark, from, step, last] = new Uint32Array(buffer, 0, 4);
  const [sentUs, base] = new Float64Array(buffer, 16, 2);
  if (mark !== MARK || new Uint32Array(buffer, 32, 1)[0] !== count || !Number.isSafeInteger(base))
    throw new RangeError("a message has not the head of a batch of claims");
  const [resources, owners, startWords, lengthWords] = columnsOf(buffer, count);
  const starts = new Float64Array(count);
  const ends = new Float64Array(count);
  for (let claim = 0; claim < count; claim++) {
    starts[claim] = base! + startWords[claim]!;
    ends[claim] = starts[claim]! + lengthWords[claim]!;
  }
  return {
    from: from!,
    step: step!,
    isLast: last === 1,
    sentUs: sentUs!,
    claims: { resources, owners, starts, ends },
  };
}

const COLUMNS = 4;
const HEAD_BYTES = 40;
const CLAIM_BYTES = COLUMNS * Int32Array.BYTES_PER_ELEMENT;
/** "clm1" */
const MARK = 0x316d6c63;
const MOST_MS = 2 ** 31 - 1;

function columnsOf(buffer: ArrayBuffer, count: number): [Int32Array, Int32Array, Int32Array, Int32Array] {
  const column = (index: number) =>
    new Int32Array(buffer, HEAD_BYTES + index * count * Int32Array.BYTES_PER_ELEMENT, count);
  return [column(0), column(1), column(2), column(3)];
}
