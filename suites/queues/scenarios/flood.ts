import { FLOOD, flows, STALL, waiting } from "../flows.ts";

/** Of a message: its name, its kind and length; of the queue its capacity; and how many are sent. */
const SIZES = [
  ["8", "words", 2, 1024, 300_000],
  ["64", "frames", 64, 2 ** 16, 200_000],
  ["1k", "frames", 1024, 2 ** 21, 50_000],
  ["64k", "frames", 65_536, 2 ** 21, 4_000],
] as const;

export default SIZES.map(([label, messages, length, capacity, count]) => {
  const full = { messages, length, capacity, count, intervalUs: 0, idleMs: 0 };
  return flows({
    scenario: `flood-${label}`,
    title: `messages of ${messages === "words" ? 8 : length.toLocaleString("en")} bytes as fast as can be, to a thread that waits in each way`,
    alike: `flood-${messages}`,
    baseline: messages === "words" ? "spsc-ring" : "frames-ring",
    params: { full, smoke: { ...full, count: 100 } },
    ways: [
      waiting("poll", FLOOD),
      waiting("sleep", STALL),
      waiting("await", FLOOD),
      waiting("subscribe", FLOOD),
    ],
  });
});
