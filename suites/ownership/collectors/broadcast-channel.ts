import { BroadcastChannel } from "node:worker_threads";
import type { Transport } from "./transport.ts";

/** Between threads of one process, without a server. It keeps nothing: a later collector learns only from messages after it came. */
export function openBroadcastChannel(name: string): Transport {
  const channel = new BroadcastChannel(name);
  return {
    isThere: true,
    async broadcast(message) {
      channel.postMessage(message);
    },
    async listen(hear) {
      channel.onmessage = (event) => hear((event as { readonly data: Uint8Array }).data);
    },
    async replay() {
      return 0;
    },
    onReturn() {},
    async flush() {},
    async close() {
      channel.close();
    },
  };
}
