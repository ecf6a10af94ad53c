import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers";
import promises from "node:timers/promises";
import hashedWheel from "../competitors/hashed-wheel.ts";
import { NodeTimers } from "./node-timers.ts";

/**
 * For `node --import`: a NodeTimers takes the place of the global timers and of those of node:timers and
 * node:timers/promises. setImmediate stays Node's. A batch is 1, so that process.nextTick and promise reactions run after
 * each callback, as in Node.
 */
const own = new NodeTimers(hashedWheel, { batch: 1 });
const { setTimeout, setInterval, clearTimeout, clearInterval } = own;
const inPlace = { setTimeout, setInterval, clearTimeout, clearInterval };
Object.assign(globalThis, inPlace);
Object.assign(timers, inPlace);
Object.assign(promises, { setTimeout: own.promises.setTimeout, setInterval: own.promises.setInterval });
Object.assign(promises.scheduler, own.promises.scheduler);
syncBuiltinESMExports();
