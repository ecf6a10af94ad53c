import { check } from "interleave-shared";

const JOBS = 0;
/** How often a thread has added a job. Sleepers wait for it to change. */
const ADDED = 1;

function add(words: Int32Array): void {
  Atomics.add(words, JOBS, 1);
  Atomics.add(words, ADDED, 1);
  Atomics.notify(words, ADDED);
}

function take(words: Int32Array): void {
  while (Atomics.load(words, JOBS) === 0) {
    const added = Atomics.load(words, ADDED);
    Atomics.wait(words, ADDED, added);
  }
  Atomics.sub(words, JOBS, 1);
}

const checked = (taking: typeof take) =>
  check({
    shared: new Int32Array(new SharedArrayBuffer(8)),
    names: ["jobs", "added"],
    threads: [taking, add],
  });

/** The count is read first: if it changes after that, the wait returns at once. */
function takeMended(words: Int32Array): void {
  for (;;) {
    const added = Atomics.load(words, ADDED);
    if (Atomics.load(words, JOBS) > 0) break;
    Atomics.wait(words, ADDED, added);
  }
  Atomics.sub(words, JOBS, 1);
}

for (const taking of [take, takeMended])
  try {
    console.log(String(checked(taking)));
  } catch (error) {
    console.log((error as Error).message);
  }
