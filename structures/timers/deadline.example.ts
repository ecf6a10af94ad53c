import { NodeTimers } from "hotpath-lab/timers";
import hashedWheel from "hotpath-lab/timers/hashed-wheel";

/**
 * Two requests that have 20 ms each: one is answered, the other never. It prints:
 *
 *     answered
 *     TimeoutError
 *     0 timers left
 */

/** In the place of fetch. */
async function send(path: string, signal: AbortSignal): Promise<string> {
  if (path === "/") return "answered";
  return await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

const timers = new NodeTimers(hashedWheel);
async function get(path: string): Promise<string> {
  const deadline = timers.deadline(20);
  return await send(path, deadline.signal).finally(() => deadline.cancel());
}

// A deadline does not keep the process alive, as a socket would.
const socket = setInterval(() => {}, 1_000);
console.log(await get("/"));
console.log(await get("/lost").catch(({ name }) => name));
console.log(`${timers.size} timers left`);
clearInterval(socket);
