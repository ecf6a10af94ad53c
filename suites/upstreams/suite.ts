import type { SuiteModule } from "../shared/vocabulary.ts";

/**
 * Question: what does a client of several HTTP servers get from the dispatcher that chooses among them? How many errors
 *   are there, and how late are the answers, while one server is slow, refuses, dies, or is replaced?
 * Workload and why it is realistic: five servers of node:http, each a process of its own, do eight requests at once, as
 *   one does that has so many connections to its database. Other requests wait in the server. Each request brings along
 *   how long it takes, 4 ms on average and exponentially distributed, so that all dispatchers have the same requests.
 *   Each answer reports the server's requests in flight in an ORCA header, for dispatchers that read it. One client
 *   process sends 4,000 requests a second, about half of what the servers can do, over undici's keep-alive connections.
 *   In `even` all servers are alike. In `uneven` the first takes twelve times as long, and requests fail after 1 s. In
 *   `unavailable` it answers with 503 at once, as one does that has lost its database. In `death` it is killed without
 *   warning, and restarted on its port. In `members` one server is added, then the first is drained, and killed as soon as
 *   the drain has resolved. In `cold` one is added that takes twelve times as long at first, and less with each answer.
 * How times are taken: in an open loop. Requests are due at the times of a Poisson process, which are fixed beforehand. A
 *   request's time counts from there, whatever the client or a server did then. Counted from when it was sent, the wait
 *   behind a standstill would be left out ("coordinated omission": G. Tene, "How NOT to Measure Latency"; wrk2 measures
 *   as here). "Sent late" is the part of that time that the client itself adds; its timers have a resolution of 1 ms. A
 *   request that fails or is answered with a 5xx was never served, and counts as slower than any; a dispatcher that fails
 *   fast would look quick otherwise. So p99 is "never" where more than one request in a hundred failed.
 * Processes: each competitor has a fresh client and fresh servers each time, by turns in shuffled order. The table has the
 *   median and the range of the processes. The range of five has the true median in it in 94 of 100 cases, whatever the
 *   distribution.
 * Rivals: undici's BalancedPool, its Agent with turns over the origins by the user, and its RoundRobinPool. That one
 *   takes turns over the connections to one origin, so it races as a variant of the Agent. Of the registry none that
 *   goes by load was found alive. load-balancers 1.3.52 has two choices, by the number of its own picks rather than of
 *   requests in flight, and was built with TypeScript 2.3. lb_pool 1.8.0 goes by requests in flight, without types, and
 *   its owner has archived it. elastic/transport is alive; its pools go by turns and weights, and serve its own client.
 * Not measured: a network, its delays and losses; TLS and HTTP/2; bodies of any size; pipelining; several clients, whose
 *   choices meet at the same servers. Client and servers share the machine's cores, of which they use about half.
 * How to run: npm run bench -- upstreams, a look at uneven in seconds; upstreams/even, upstreams/uneven,
 *   upstreams/unavailable, upstreams/death, upstreams/members and upstreams/cold with --profile full, five processes for
 *   each competitor and a quarter of an hour in all
 */
export default {
  primitive: "upstreams",
  order: ["situations"],
  overview: {
    title: "At a glance",
    columns: [
      { title: "All alike: p99", unit: "ms", digits: 1, scenario: "even", metric: "p99" },
      { title: "One slow: errors", unit: "%", digits: 2, scenario: "uneven", metric: "errors" },
      { title: "p99", unit: "ms", digits: 1, scenario: "uneven", metric: "p99" },
      { title: "One dies: errors", unit: "%", digits: 2, scenario: "death", metric: "errors" },
      { title: "p99", unit: "ms", digits: 1, scenario: "death", metric: "p99" },
      { title: "Members change: failed", unit: "", digits: 0, scenario: "members", metric: "failed" },
      { title: "p99", unit: "ms", digits: 1, scenario: "members", metric: "p99" },
    ],
  },
} satisfies SuiteModule;
