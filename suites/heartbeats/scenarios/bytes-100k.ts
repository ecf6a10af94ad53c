import type {
  HeartbeatCompetitor,
  HeartbeatScheduler,
} from "../../../structures/heartbeats/heartbeats.contract.ts";
import { type Metric, survey } from "../../shared/vocabulary.ts";
import { INTERVAL_S } from "../calls.ts";

const BYTES = {
  bytesPerClient: { title: "Held", unit: "B/client", digits: 1 },
} satisfies Record<string, Metric>;

const REHEARSALS = 5;

export default survey<HeartbeatCompetitor, number>({
  scenario: "bytes-100k",
  title: "100,000 connected clients",
  headline: false,
  baseline: "fixed-interval",
  metrics: BYTES,
  params: { full: 100_000, smoke: 1000 },
  run({ create }, clients, seed, { heldBytes }) {
    // Earlier ones carry what is compiled and learned for the code, and are kept: garbage may be freed at any time.
    const kept = Array.from({ length: REHEARSALS }, () => filled(create, clients, seed));
    const bytesBefore = heldBytes();
    kept.push(filled(create, clients, seed));
    const bytesPerClient = (heldBytes() - bytesBefore) / clients;
    // Throws if one was lost.
    for (const scheduler of kept)
      for (let client = 0; client < clients; client++) scheduler.disconnect(client, 0);
    return { bytesPerClient };
  },
  law: () => undefined,
});

function filled(create: HeartbeatCompetitor["create"], clients: number, seed: number): HeartbeatScheduler {
  const scheduler = create(INTERVAL_S, seed);
  for (let client = 0; client < clients; client++) scheduler.connect(client, 0);
  return scheduler;
}
