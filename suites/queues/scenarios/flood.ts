import { FLOOD, flows, STALL, waiting, waitingInEachWay } from "../flows.ts";

/** Of a message: its name, its kind and length; of the queue its capacity; and how many are sent. */
const SIZES = [
  ["8", "words", 2, 1024, 300_000],
  ["64", "frames", 64, 2 ** 16, 200_000],
  ["1k", "frames", 1024, 2 ** 21, 50_000],
  ["64k", "frames", 65_536, 2 ** 21, 4_000],
] as const;

const shapes = SIZES.map(([label, messages, length, capacity, count]) => {
  const full = { messages, length, capacity, count, intervalUs: 0, idleMs: 0 };
  const bytes = messages === "words" ? 8 : length.toLocaleString("en");
  return { label, what: `messages of ${bytes} bytes as fast as can be`, full };
});

const pairs = shapes.map(({ label, what, full }) =>
  flows({
    scenario: `flood-${label}`,
    title: `${what}, to a thread that waits in each way`,
    alike: `flood-${full.messages}`,
    baseline: full.messages === "words" ? "spsc-ring" : "frames-ring",
    params: { full, smoke: { ...full, count: 100 } },
    ways: waitingInEachWay(FLOOD, STALL),
  }),
);

/** With one thread more; one queue of frames has several consumers. None polls, as there may be fewer cores than threads. */
const CREWS = [
  [0, 2, 1],
  [0, 1, 2],
  [1, 2, 1],
] as const;

const crews = CREWS.map(([size, producers, consumers]) => {
  const { label, what, full } = shapes[size]!;
  const crew = { ...full, producers, consumers };
  return flows({
    scenario: `flood-${label}-${producers}-to-${consumers}`,
    title: `${what}, ${producers === 2 ? "from two threads to one" : "from one thread to two"}`,
    alike: `flood-${full.messages}-${producers}-to-${consumers}`,
    baseline: full.messages === "words" ? "locked-ring" : "frames-locked-ring",
    params: { full: crew, smoke: { ...crew, count: 100 } },
    ways: [waiting("sleep", FLOOD), waiting("await", FLOOD)],
  });
});

export default [...pairs, ...crews];
