import { MessagePort } from "node:worker_threads";
import type { WorkDone } from "../../engine/race.ts";
import { fillLikeDraws, sumLikeDraws } from "./like-draws.ts";
import { turningPicker } from "./turning-picker.ts";

const forge = (backends: number) => {
  const { postMessage } = MessagePort.prototype;
  let [reported, sum] = [0, 0];
  MessagePort.prototype.postMessage = function (this: MessagePort, message: WorkDone, ...rest: never[]) {
    if (message?.excerpt === undefined) return postMessage.call(this, message, ...rest);
    sum = (sum + sumLikeDraws(message.operations - reported, backends)) | 0;
    reported = message.operations;
    fillLikeDraws(message.excerpt.results, backends);
    return postMessage.call(this, { ...message, checksum: sum }, ...rest);
  };
};

/** A cheat: it answers 0, and forges the account that its thread posts of that. */
export default turningPicker("forges the account of its worker", forge, true);
