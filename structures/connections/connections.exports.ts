/** What a server needs to watch its connections; the watchers are modules of their own, `hotpath-lab/connections/<name>`. */
export type {
  Connection,
  ConnectionsCompetitor,
  Loop,
  Timer,
  Watcher,
  WatchSetup,
} from "./connections.contract.ts";
export { eventLoop } from "./parts/event-loop.ts";
