/** A queue between threads, whose consumers block, poll or await. The queues that raced are in `hotpath-lab/queues`. */
export { freeSeat } from "../shared/instance.ts";
export type { Consumer, Incoming, MessageKind, Outgoing, Producer, Waiting } from "./parts/ends.ts";
export {
  attachConsumer,
  attachProducer,
  createQueue,
  type FramesOptions,
  type Queue,
  type WordsOptions,
} from "./parts/queue.ts";
export { closeQueue } from "./queues.instance.ts";
