import type { SuiteModule } from "../shared/vocabulary.ts";

/**
 * Question: from which list does a server take the clients whose heartbeats are due?
 * Workload: one server, virtual time, N clients that beat every 600 s. They are spread at random over the seconds of
 *   the interval, as the source's are once slots are assigned. `beat`: the next client that is due is taken and entered
 *   one interval later, with the seconds that pass on the way. `jitter`: the same with 0 to 299 s more, the source's
 *   widest jitter, so that deadlines come in no order. `reconnect`: any client is removed and entered for any second of
 *   the interval ahead, as when it connects again and gets another slot. The beats between are not timed. `churn`: six
 *   beats for each reconnect, which is a client that stays for an hour. The source's server does this all day. `steps`
 *   counts what a reconnect does.
 * Not measured: what the server does with a client that it takes, which is as far apart in memory as the clients are.
 *   Clients that all connect at once; reading a real clock. More workers, because a list belongs to one.
 * How to run: npm run bench -- dispatch --all
 */
export default {
  primitive: "dispatch",
  order: ["beat", "jitter-10k", "reconnect", "churn-10k", "steps-reconnect", "bytes-100k"],
} satisfies SuiteModule;
