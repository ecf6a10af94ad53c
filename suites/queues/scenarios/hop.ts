import { CPU, flows, HOP, waiting, waitingInEachWay } from "../flows.ts";

const SCHEDULE = { count: 10_000, intervalUs: 100, idleMs: 0 };
const WORDS = { ...SCHEDULE, messages: "words", length: 2, capacity: 1024 } as const;
const FRAMES = { ...SCHEDULE, messages: "frames", length: 64, capacity: 2 ** 16 } as const;
const SMOKE = { count: 20 };

export default [
  flows({
    scenario: "hop-8",
    title: "10,000 messages a second of 8 bytes: from when each is due until another thread has it",
    alike: "hop",
    baseline: "spsc-ring",
    params: { full: WORDS, smoke: { ...WORDS, ...SMOKE } },
    ways: waitingInEachWay(HOP),
  }),
  flows({
    scenario: "hop-64",
    title: "10,000 frames a second of 64 bytes: from when each is due until another thread has it",
    alike: "hop",
    baseline: "frames-ring",
    params: { full: FRAMES, smoke: { ...FRAMES, ...SMOKE } },
    ways: waitingInEachWay(HOP),
  }),
  flows({
    scenario: "event-loop",
    title:
      "the same frames: what waiting costs the consumer's thread, and hops to an event loop that is busy for a fifth of its time",
    alike: "event-loop",
    baseline: "frames-ring",
    params: { full: { ...FRAMES, idleMs: 500 }, smoke: { ...FRAMES, ...SMOKE, idleMs: 5 } },
    ways: [
      waiting("poll", CPU),
      waiting("sleep", CPU),
      waiting("await", CPU),
      waiting("subscribe", CPU),
      waiting("await", HOP, true),
      waiting("subscribe", HOP, true),
    ],
  }),
];
