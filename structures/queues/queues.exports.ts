/** What a program needs to pass messages between threads; the queues are modules of their own, `hotpath-lab/queues/<name>`. */
export { freeSeat } from "../shared/instance.ts";
export { CLOSED, type ParkedReceiver, type ParkedSender, type Sent } from "./parts/handles.ts";
export { EMPTY, type End, type Message, type QueueSetup, type QueuesCompetitor } from "./queues.contract.ts";
export {
  attachReceiver,
  attachSender,
  closeQueue,
  endsOf,
  makeQueue,
  type QueueInstance,
} from "./queues.instance.ts";
