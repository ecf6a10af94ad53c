import { attachConsumer, attachProducer } from "hotpath-lab/queue";
import { framed, unframed } from "./frames.ts";
import type { Served } from "./pool.ts";

/** What one request is answered with. Put your work here. */
function answerTo(request: string): string {
  if (request === "") throw new Error("there is nothing to answer");
  return request.toUpperCase();
}

/** The endless task: takes requests until there will be no more. */
export default function serve({ requests, answers, current, seat }: Served): void {
  const taken = attachConsumer(requests, seat);
  const given = attachProducer(answers, seat);
  for (let frame = taken.receiveSync(); frame !== undefined; frame = taken.receiveSync()) {
    const { number, text } = unframed(frame);
    Atomics.store(current, seat, number);
    try {
      given.sendSync(framed(number, answerTo(text)));
    } catch (error) {
      given.sendSync(framed(number, (error as Error).message, true));
    }
    Atomics.store(current, seat, 0);
  }
}
