import type { SuiteModule } from "../shared/vocabulary.ts";

/**
 * Question: which queue hands messages from thread to thread at the least cost to both sides?
 * Workload: races: every worker sends 8 or 64 bytes and then receives as many, so that no worker waits for one that rests
 *   (Michael & Scott, PODC 1996). `flood`: from one thread to another as fast as can be, or with two on one side. The consumer polls, blocks, awaits,
 *   or has messages delivered by its runtime, whose own queues take part there (nodejs/performance#37 asks for it). `hop`:
 *   10,000 messages a second, from when each is due until the other thread has it, waking included. `event-loop`: what waiting
 *   costs, and hops to a loop that has other work. `objects`: structured clone beside JSON and a schema. `log`: pino at 20,000
 *   lines a second, with a thread that writes (nodejs/node#38780 has postMessage take 16 % of a server's processor time).
 *   `pools`: piscina#109 and piscina#319 ask for one queue or one for each thread.
 * How times are taken: of `hop` and `event-loop` in an open loop: messages are due at times that are fixed beforehand, and a
 *   message's time counts from there, though the one before was late ("coordinated omission"). The first fifth is a
 *   rehearsal.
 * Proof: each message says which producer sent it, and its number. A race accounts for the numbers of all messages: all that
 *   was sent came, once and in its producer's order. Surveys count all of them.
 * Not measured: in races, workers that only send or only receive; in surveys, more threads than three; processes, which share no
 *   memory; what a consumer does with a message. A producer of a survey that polls its clock takes a core: on fewer than two,
 *   hops are times of the scheduler. Queues that drop the oldest message, or have no bound, do not race.
 * How to run: npm run bench -- queues, and each other scenario by its name, as queues/hop-64
 */
export default {
  primitive: "queues",
  order: ["pairs", "flood", "hop", "objects", "log", "pools"],
} satisfies SuiteModule;
