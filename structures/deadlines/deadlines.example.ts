import hashedWheel from "hotpath-lab/deadlines/hashed-wheel";

/**
 * Two requests with a deadline of 20 ms: one is answered in time, the other never. It prints:
 *
 *     answered
 *     TimeoutError
 */
const deadlines = hashedWheel.create();

async function within(delayMs: number, request: (signal: AbortSignal) => Promise<string>): Promise<string> {
  const deadline = deadlines.make(delayMs);
  // A request that is done leaves no timer.
  return await request(deadline.signal).finally(() => deadline.cancel());
}

const answered = async () => "answered";
const lost = (signal: AbortSignal) =>
  new Promise<string>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

console.log(await within(20, answered));
// No deadline keeps the process alive, as a socket would.
const socket = setInterval(() => {}, 1_000);
console.log(await within(20, lost).catch(({ name }) => name));
clearInterval(socket);
