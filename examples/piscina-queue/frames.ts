/** A request or an answer as bytes: its number, whether it failed, and its text. */
const HEADER_BYTES = 5;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function framed(number: number, text: string, isFailed = false): Uint8Array {
  const bytes = encoder.encode(text);
  const frame = new Uint8Array(HEADER_BYTES + bytes.length);
  new DataView(frame.buffer).setInt32(0, number);
  frame[4] = isFailed ? 1 : 0;
  frame.set(bytes, HEADER_BYTES);
  return frame;
}

export function unframed(frame: Uint8Array): {
  readonly number: number;
  readonly text: string;
  readonly isFailed: boolean;
} {
  const number = new DataView(frame.buffer, frame.byteOffset).getInt32(0);
  return { number, text: decoder.decode(frame.subarray(HEADER_BYTES)), isFailed: frame[4] === 1 };
}
