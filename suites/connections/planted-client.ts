import { Socket } from "node:net";
import { BEAT } from "./frames.ts";

/** A liar: a client process that counts every beat, and does not send one in ten. */
const write = Socket.prototype.write as (...given: unknown[]) => boolean;
let beats = 0;
Socket.prototype.write = function (this: Socket, ...given: unknown[]) {
  if (given[0] === BEAT && ++beats % 10 === 0) return true;
  return Reflect.apply(write, this, given);
};
await import("./client.ts");
