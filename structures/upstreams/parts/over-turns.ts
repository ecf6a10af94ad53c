import type { Dispatcher } from "undici";
import type { Upstreams } from "../upstreams.contract.ts";
import { Origins } from "./origins.ts";

/**
 * Upstreams from an agent that serves any origin: each request is sent to the next of a list of origins, by an
 * interceptor. Whether a request is still in flight to an origin that has left the list is not known.
 */
export function overTurns(origins: readonly string[], agent: Dispatcher): Upstreams {
  const list = new Origins(origins);
  let turn = 0;
  const dispatcher = agent.compose((dispatch) => (options, handler) => {
    turn = (turn + 1) % list.members.length;
    return dispatch({ ...options, origin: list.members[turn]! }, handler);
  });
  return {
    dispatcher,
    add(origin) {
      list.add(origin);
    },
    async drain(origin) {
      list.remove(origin);
    },
    close: () => agent.close(),
  };
}
