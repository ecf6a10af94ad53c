import { passing } from "../passing.ts";

/** Bytes of a frame, and of the ring: room for a thousand of the small ones, and for thirty of the largest. */
const FRAMES = [
  ["64", 64, 2 ** 16],
  ["1k", 1024, 2 ** 21],
  ["64k", 65_536, 2 ** 21],
] as const;

const CONTENDERS = [
  "locked-ring",
  "claims-ring",
  "npm-ringbuf",
  "per-producer-rings",
  "robust-locked-ring",
  "sequence-ring",
  "single-slot",
  "spsc-ring",
  "stealing-rings",
  "two-lock-ring",
];

const PAIR = { mostWorkers: 2, producersOf: () => 1 };

export default [
  passing({
    ...PAIR,
    scenario: "one-to-one-8",
    headline: true,
    contenders: CONTENDERS,
    alike: "one-to-one-words",
    title: "messages of 8 bytes from one thread to another",
    baseline: "locked-ring",
    messages: "words",
    length: 2,
    capacity: 1024,
  }),
  ...FRAMES.map(([label, length, capacity]) =>
    passing({
      ...PAIR,
      scenario: `one-to-one-${label}`,
      alike: "one-to-one-frames",
      title: `frames of ${length.toLocaleString("en")} bytes from one thread to another`,
      baseline: "frames-locked-ring",
      messages: "frames",
      length,
      capacity,
    }),
  ),
];
