import { checkAsync } from "interleave-shared";

async function receive(words: Int32Array): Promise<number> {
  if (Atomics.load(words, 0) === 0) await Atomics.waitAsync(words, 0, 0).value;
  return Atomics.load(words, 0);
}

function send(words: Int32Array): void {
  Atomics.store(words, 0, 7);
  Atomics.notify(words, 0);
}

const coverage = await checkAsync({
  shared: new Int32Array(new SharedArrayBuffer(4)),
  threads: [receive, send],
  end(_, { results }) {
    if (results[0]![0] !== 7) throw new Error("the message was not received");
  },
});
console.log(String(coverage));
