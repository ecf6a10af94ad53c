import { CPU, flows, HOP, waiting } from "../flows.ts";

const PARAMS = {
  full: { messages: "words", length: 2, capacity: 1024, count: 10_000, intervalUs: 100, idleMs: 0 },
  smoke: { messages: "words", length: 2, capacity: 1024, count: 20, intervalUs: 100, idleMs: 0 },
} as const;

export default [
  flows({
    baseline: "spsc-ring",
    scenario: "hop",
    title: "10,000 messages a second of 8 bytes: from when each is due until another thread has it",
    alike: "hop",
    params: PARAMS,
    ways: [waiting("poll", HOP), waiting("sleep", HOP), waiting("await", HOP), waiting("subscribe", HOP)],
  }),
  flows({
    baseline: "spsc-ring",
    scenario: "event-loop",
    title:
      "the same: what waiting costs the consumer's thread, and hops to an event loop with a fifth of its time in other work",
    alike: "hop",
    params: { full: { ...PARAMS.full, idleMs: 500 }, smoke: { ...PARAMS.smoke, idleMs: 5 } },
    ways: [
      waiting("sleep", CPU),
      waiting("await", CPU),
      waiting("subscribe", CPU),
      waiting("await", HOP, true),
      waiting("subscribe", HOP, true),
    ],
  }),
];
