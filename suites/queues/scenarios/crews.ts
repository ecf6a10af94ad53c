import { passing } from "../passing.ts";

const words = {
  alike: "crews",
  baseline: "locked-ring",
  messages: "words",
  length: 2,
  capacity: 1024,
} as const;

const frames = {
  alike: "crews-frames",
  baseline: "frames-locked-ring",
  messages: "frames",
  length: 64,
  capacity: 2 ** 16,
} as const;

export default [
  passing({
    ...words,
    scenario: "many-to-one-8",
    title: "messages of 8 bytes from all other workers to the last",
    producersOf: (workers) => workers - 1,
  }),
  passing({
    ...words,
    scenario: "one-to-many-8",
    title: "messages of 8 bytes from one worker to all others",
    producersOf: () => 1,
  }),
  passing({
    ...words,
    scenario: "many-to-many-8",
    title: "messages of 8 bytes from half of the workers to the other half",
    producersOf: (workers) => Math.ceil(workers / 2),
  }),
  passing({
    ...frames,
    scenario: "many-to-one-64",
    title: "frames of 64 bytes from all other workers to the last",
    producersOf: (workers) => workers - 1,
  }),
];
