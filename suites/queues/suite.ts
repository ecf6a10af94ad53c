import type { SuiteModule } from "../shared/vocabulary.ts";

/**
 * Question: which queue hands messages from thread to thread at the least cost to both sides?
 * Workload: races: producers send as fast as they can and consumers take what there is, 8 bytes of words, or frames of 64 bytes
 *   to 64 kB, between two threads and in crews. Both sides poll, so that a race compares queues and no ways to wait. One
 *   operation is a message sent or received, so that a message costs two of them. `flood`: the same between two threads of
 *   their own, where the consumer polls, blocks, awaits, or has messages delivered by its runtime; that is where queues of the
 *   runtime take part (nodejs/performance#37 asks for it). `hop`: 10,000 messages a second, from when each is due until the
 *   other thread has it, waking included. `event-loop`: what waiting costs, and hops to a loop that has other work. `objects`:
 *   structured clone beside JSON and a schema. `log`: pino at 20,000 lines a second, with a thread that writes (nodejs/node#38780
 *   has postMessage take 16 % of a server's processor time). `pools`: piscina#109 and piscina#319 ask for one queue or one for
 *   each thread.
 * How times are taken: of `hop` and `event-loop` in an open loop: messages are due at times that are fixed beforehand, and a
 *   message's time counts from there, though the one before was late ("coordinated omission"). The first fifth is a
 *   rehearsal.
 * Proof: each message says which producer sent it, and its number. A race accounts for the numbers of all messages: what came of
 *   a producer are its first ones, each once, and the rest is in the queue. Surveys count all of them.
 * Not measured: more threads than two in surveys; processes, which share no memory; what a consumer does with a message. A
 *   producer of a survey that polls its clock takes a core: on fewer than two, hops are times of the scheduler. Queues that
 *   drop the oldest message, or have no bound, do not race.
 * How to run: npm run bench -- queues, and each other scenario by its name, as queues/hop-64
 */
export default {
  primitive: "queues",
  order: ["one-to-one", "crews", "flood", "hop", "objects", "log", "pools"],
} satisfies SuiteModule;
