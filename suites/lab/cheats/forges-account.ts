import { MessagePort } from "node:worker_threads";
import type { WorkDone } from "../../engine/suite.ts";
import { lazyPicker } from "./lazy-picker.ts";
import { fillLikeDraws, sumLikeDraws } from "./like-draws.ts";

/** A cheat: it answers 0, and forges the account that its thread posts of that. */
export default lazyPicker("forges the account of its worker", (backends) => {
  const { postMessage } = MessagePort.prototype;
  let [reported, sum] = [0, 0];
  MessagePort.prototype.postMessage = function (this: MessagePort, message: WorkDone, ...rest: never[]) {
    if (message?.excerpt === undefined) return postMessage.call(this, message, ...rest);
    sum = (sum + sumLikeDraws(message.operations - reported, backends)) | 0;
    reported = message.operations;
    fillLikeDraws(message.excerpt.results, backends);
    return postMessage.call(this, { ...message, checksum: sum }, ...rest);
  };
});
