import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Examination } from "../shared/contract.ts";
import { examined } from "../shared/examination.ts";
import { allocateRegion, type Region } from "../shared/layout.ts";
import { workerIdentity } from "../shared/worker-identity.ts";
import {
  contract,
  type Key,
  type Keyed,
  type KeyedCompetitor,
  type RequestOptions,
} from "./keyed.contract.ts";
import {
  abortsLeaveNothing,
  arrivalOrderIsKept,
  deadHolderIsAsClaimed,
  everyRequestSettles,
  faultsStayTheirs,
  ifAvailableHoldsLikeOthers,
  ifAvailableIsTrue,
  mendComesFirst,
  mutualExclusion,
  nestedIsRefused,
  nothingIsLost,
  ownOrderIsKept,
} from "./keyed.laws.ts";

/**
 * Every law of locks by key applied to one competitor. Most of it with several handles in one thread, whose requests
 * meet at certain moments; at the end with two threads. Every interleaving of a few requests is the business of
 * keyed.model.ts.
 */

/** What one worker of an examination is asked to do. */
export interface KeyedTask {
  readonly url: string;
  readonly memory: Region;
  readonly index: number;
  /** One word for each of KEYS. */
  readonly counters: Region;
  /** Whether it is only there to be terminated while it holds the first key. */
  readonly dies: boolean;
}

/** Stripes enough that these keys do not meet, and few enough to be made quickly. */
export const SETUP = { stripes: 64, workers: 3 };
export const KEYS: readonly [Key, Key, Key] = ["cart/17", 17, -(2 ** 40)];
/** Requests of one worker. */
export const SHARE = 300;

export const examination = {
  tries: "three handles in one thread, two threads, a holder that dies, requests taken back and nested",
  examine: (url) =>
    examined(url, contract, async (competitor: KeyedCompetitor) => {
      const set = new Trial(competitor);
      try {
        const broken: (string | undefined)[] = [];
        for (const part of PARTS) {
          broken.push(...(await part(competitor, set)));
          if (broken.some((sentence) => sentence !== undefined)) return broken;
        }
        return competitor.reach === "workers" ? acrossThreads(competitor, url) : broken;
      } finally {
        // Ends what still waits, which would keep the process alive.
        set.end();
      }
    }),
} satisfies Examination;

/** Several handles of one set, or the only one there can be, and the state of what the keys protect. */
class Trial {
  readonly #competitor: KeyedCompetitor;
  readonly #over = new AbortController();

  constructor(competitor: KeyedCompetitor) {
    this.#competitor = competitor;
  }

  made() {
    const memory = allocateRegion(this.#competitor.words(SETUP)).fill(LEFTOVER);
    this.#competitor.format(memory, SETUP);
    const workers = this.#competitor.reach === "workers" ? SETUP.workers : 1;
    const handles = Array.from({ length: workers }, (_, index) =>
      this.#competitor.attach(memory, SETUP, workerIdentity(index, SETUP.workers, 1)),
    );
    return { memory, handles };
  }

  /** Options of a request that ends with the examination. */
  get options(): RequestOptions {
    return this.#competitor.aborts ? { signal: this.#over.signal } : {};
  }

  end(): void {
    this.#over.abort();
  }
}

/** What the memory held before: `format` must not count on zeroes. */
const LEFTOVER = -7;

type Part = (competitor: KeyedCompetitor, set: Trial) => Promise<(string | undefined)[]>;

/** Turns of the event loop in which nothing is settled any more, so that what waits waits for ever. */
const STILL_TURNS = 500;

/** Waits until all have settled, or none has for so long; returns how many have. */
async function settled(requests: readonly Promise<unknown>[]): Promise<number> {
  let count = 0;
  for (const request of requests) request.then(...[() => count++, () => count++]);
  let last = -1;
  for (let still = 0; count < requests.length && still < STILL_TURNS; still++) {
    if (count > last) still = 0;
    last = count;
    await setImmediate();
  }
  return count;
}

/** Requests of all handles for all keys, made at once. */
const together: Part = async (_competitor, set) => {
  const { handles } = set.made();
  const keys = KEYS.map(() => ({ inside: 0, counter: 0 }));
  const lasts = handles.map(() => keys.map(() => -1));
  const seen = { requests: 60, bodies: 0, company: 0, counted: 0, overtaken: 0 };
  const requests = Array.from({ length: seen.requests }, (_, at) => {
    const [by, of] = [at % handles.length, at % KEYS.length === 0 ? 0 : at % 7 === 0 ? 1 : 2];
    const key = keys[of]!;
    return handles[by]!.request(KEYS[of]!, set.options, async () => {
      seen.bodies++;
      if (key.inside++ > 0) seen.company++;
      if (lasts[by]![of]! > at) seen.overtaken++;
      lasts[by]![of] = at;
      const read = key.counter;
      await (at % 5 === 0 ? setImmediate() : undefined);
      key.counter = read + 1;
      key.inside--;
    });
  });
  const done = await settled(requests);
  seen.counted = keys.reduce((sum, { counter }) => sum + counter, 0);
  return [
    mutualExclusion(seen),
    ownOrderIsKept(seen),
    nothingIsLost(seen),
    everyRequestSettles({ requests: seen.requests, settled: done }),
  ];
};

/** Requests that come while others end, some of which throw: the key is never forgotten while one has it or waits. */
const comingAndGoing: Part = async (_competitor, set) => {
  const { handles } = set.made();
  const [key] = KEYS;
  const fault = new Error("from the body");
  const seen = { requests: 0, bodies: 0, company: 0 };
  const wrong: string[] = [];
  let inside = 0;
  const ask = (fails: boolean): Promise<void> => {
    const by = handles[seen.requests++ % handles.length]!;
    const body = async () => {
      seen.bodies++;
      if (inside++ > 0) seen.company++;
      await setImmediate();
      inside--;
      if (fails) throw fault;
    };
    const end = (how: unknown) => {
      if (how !== (fails ? fault : undefined)) wrong.push(String(how));
    };
    return by.request(key, set.options, body).then(() => end(undefined), end);
  };
  const requests: Promise<void>[] = [];
  for (let round = 0; round < 4 * handles.length; round++) {
    const [first, second] = [ask(round % 2 === 0), ask(round % 3 === 0)];
    requests.push(first, second);
    // The second has the key or waits for it.
    await settled([first]);
    requests.push(ask(false));
  }
  const done = await settled(requests);
  return [
    mutualExclusion(seen),
    faultsStayTheirs({ requests: seen.requests, wrong }),
    everyRequestSettles({ requests: seen.requests, settled: done }),
  ];
};

/** A holder that the examination lets go. */
function heldBy(handle: Keyed, key: Key, options: RequestOptions) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: taken, resolve: take } = Promise.withResolvers<void>();
  const request = handle.request(key, options, () => {
    take();
    return released;
  });
  return { request, taken, release };
}

/** Three workers come while the key is held, the holder among them. */
const inLine: Part = async ({ order }, set) => {
  if (order !== "arrival") return [];
  const { handles } = set.made();
  const [key] = KEYS;
  const holder = heldBy(handles[0]!, key, set.options);
  await holder.taken;
  const got: number[] = [];
  const came = [2, 1, 0];
  const requests = [];
  for (const by of came) {
    requests.push(handles[by]!.request(key, set.options, async () => void got.push(by)));
    await setImmediate();
  }
  holder.release();
  await settled(requests);
  return [arrivalOrderIsKept({ came, got })];
};

const TAKEN_BACK = new Error("taken back");

/** Asks for the key; resolves to how that ended. */
function ask(handle: Keyed, options: RequestOptions, body = async () => {}): Promise<string> {
  const [key] = KEYS;
  return handle.request(key, options, body).then(
    () => "done",
    (error: unknown) => (error === TAKEN_BACK ? "taken back" : String(error)),
  );
}

/** Requests that are taken back: before they are made, in a thread's line, at the lock, and too late. */
const takenBack: Part = async ({ aborts }, set) => {
  if (!aborts) return [];
  const handles = set.made().handles as [Keyed, Keyed, Keyed];
  const wrong = await takenBackInTime(handles, set.options);
  if (wrong.length === 0) wrong.push(...(await takenBackWoken(handles, set.options)));
  return [abortsLeaveNothing({ asked: 7, wrong })];
};

/** What is wrong. */
async function takenBackInTime(
  [first, other, third]: readonly [Keyed, Keyed, Keyed],
  options: RequestOptions,
): Promise<string[]> {
  const wrong: string[] = [];
  const check = (isRight: boolean, what: string) => isRight || wrong.push(what);
  const holder = heldBy(first, KEYS[0], options);
  await holder.taken;
  const [atLock, inTurn] = [new AbortController(), new AbortController()];
  const ran: string[] = [];
  const noting = (name: string) => async () => void ran.push(name);
  const never = ask(first, { signal: AbortSignal.abort(TAKEN_BACK) }, noting("never"));
  const waits = ask(third, { signal: atLock.signal }, noting("atLock"));
  const turns = [
    ask(other, options, noting("stays")),
    ask(other, { signal: inTurn.signal }, noting("inTurn")),
    ask(other, options, noting("another")),
  ] as const;
  await setImmediate();
  inTurn.abort(TAKEN_BACK);
  atLock.abort(TAKEN_BACK);
  const back = [never, waits, turns[1]];
  check((await settled(back)) === back.length, "a request that was taken back waits");
  holder.release();
  const stay = [holder.request, turns[0], turns[2]];
  check((await settled(stay)) === stay.length, "a request waits for one that was taken back");
  if (wrong.length > 0) return wrong;
  const ends = await Promise.all(back);
  check(
    ends.every((end) => end === "taken back"),
    "it did not reject with the reason",
  );
  check(`${ran.sort()}` === "another,stays", `bodies ran: ${ran}`);
  return wrong;
}

/** The holder is gone and has woken the waiter when that is taken back: the wake-up is the next one's. */
async function takenBackWoken(
  [first, other, third]: readonly [Keyed, Keyed, Keyed],
  options: RequestOptions,
): Promise<string[]> {
  const wrong: string[] = [];
  const check = (isRight: boolean, what: string) => isRight || wrong.push(what);
  const again = heldBy(first, KEYS[0], options);
  await settled([again.taken]);
  const woken = new AbortController();
  const leaves = ask(other, { signal: woken.signal });
  const next = ask(third, options);
  await setImmediate();
  again.release();
  woken.abort(TAKEN_BACK);
  check((await settled([leaves, next])) === 2, "a wake-up was lost with a request that was taken back");

  const late = new AbortController();
  const kept = heldBy(other, KEYS[0], { signal: late.signal });
  await settled([kept.taken]);
  late.abort(TAKEN_BACK);
  kept.release();
  const end = kept.request.then(
    () => true,
    () => false,
  );
  check((await settled([end])) === 1, "a request that was taken back too late waits");
  check(await end, "a signal took back what was held");
  return wrong;
}

const available: Part = async (_competitor, set) => {
  const { handles } = set.made();
  const [key] = KEYS;
  const holder = heldBy(handles[0]!, key, set.options);
  await holder.taken;
  const ask = (handle: Keyed) =>
    handle.request(key, { ifAvailable: true }, async (held) => held !== null && held.name === key);
  const asked: [Promise<boolean>, boolean][] = handles.map((handle) => [ask(handle), false]);
  await settled(asked.map(([answer]) => answer));
  holder.release();
  await settled([holder.request]);
  asked.push([ask(handles.at(-1)!), true]);
  if ((await settled(asked.map(([answer]) => answer))) < asked.length)
    return [ifAvailableIsTrue({ asked: asked.length, wrong: 1 })];
  const answers = await Promise.all(asked.map(async ([answer, expected]) => (await answer) === expected));
  return [ifAvailableIsTrue({ asked: answers.length, wrong: answers.filter((isRight) => !isRight).length })];
};

/** Requests of the same handle, and of another, behind one with `ifAvailable` that got the key. */
const behindAvailable: Part = async (_competitor, set) => {
  const { handles } = set.made();
  const [key] = KEYS;
  const held = Promise.withResolvers<void>();
  const wrong: string[] = [];
  let isHeld = true;
  const holder = handles[0]!.request(key, { ifAvailable: true }, () => held.promise);
  await setImmediate();
  const behind = [handles[0]!, handles.at(-1)!].map((handle) =>
    handle
      .request(key, set.options, async () => {
        if (isHeld) wrong.push("one ran beside it");
      })
      .catch((error: unknown) => void wrong.push(String(error))),
  );
  await setImmediate();
  isHeld = false;
  held.resolve();
  const asked = behind.length;
  if ((await settled([holder, ...behind])) <= asked) wrong.push("one waits for ever");
  return [ifAvailableHoldsLikeOthers({ asked, wrong })];
};

/** Worker 0 dies with a key: nothing more of it runs. Another waits for it, and others come after. */
const orphaned: Part = async (competitor, set) => {
  if (competitor.deadHolder !== "recovers") return [];
  const { memory, handles } = set.made();
  const [dead, next, last] = handles as [Keyed, Keyed, Keyed];
  const [key] = KEYS;
  const strangers = Array.from({ length: 4 * SETUP.stripes }, (_, stranger) => stranger);
  const isFree = (handle: Keyed) =>
    handle.request(key, { ifAvailable: true, mend() {} }, async (held) => held !== null);
  let isWhole = true;
  let unmended = 0;
  let needless = 0;
  const mend = () => {
    if (isWhole) needless++;
    isWhole = true;
  };
  const use = () => {
    if (!isWhole) unmended++;
  };
  // All that it leaves behind would go on, as it is not dead in truth.
  void dead.request(key, {}, () => {
    isWhole = false;
    return new Promise<never>(() => {});
  });
  await setImmediate();
  const before = await isFree(next);
  competitor.workerExited!(memory, SETUP, 0);
  // Keys that share its stripe have nothing to mend.
  await settled(
    strangers.map((stranger) =>
      last.request(stranger, { ...set.options, mend: () => void needless++ }, async () => {}),
    ),
  );
  let unready: unknown;
  await settled([
    last
      .request(key, set.options, async () => use())
      .catch((error: { code?: unknown }) => {
        unready = error.code;
      }),
  ]);
  const requests = [
    next.request(key, { ...set.options, mend }, async () => use()),
    last.request(key, { ...set.options, mend }, async () => use()),
  ];
  const done = await settled(requests);
  return [
    deadHolderIsAsClaimed("recovers", { before, after: done === requests.length }),
    mendComesFirst({ unmended: unmended + (unready === "EOWNERDEAD" ? 0 : 1), needless }),
  ];
};

const inside: Part = async ({ nested, blocks }, set) => {
  if (nested === "waits") return [];
  let handle = set.made().handles[0] as Required<Keyed>;
  const [key, another] = KEYS;
  const refusals: (() => unknown)[] = [];
  const asks = [
    () => handle.request(key, set.options, () => {}),
    () => handle.request(another, set.options, () => {}),
    ...(blocks ? [() => handle.requestSync(key, () => {}), () => handle.requestSync(another, () => {})] : []),
  ];
  const refused = async (ask: () => unknown) => {
    try {
      const asked = ask();
      if (asked instanceof Promise && (await settled([asked])) === 0) return;
      await asked;
    } catch (error) {
      if (/^\w+: this task holds a key of the set, /.test((error as Error).message)) refusals.push(ask);
    }
  };
  await settled([
    handle.request(key, set.options, async () => {
      for (const ask of asks) await refused(ask);
    }),
  ]);
  const sync: Promise<void>[] = [];
  handle = set.made().handles[0] as Required<Keyed>;
  if (blocks) handle.requestSync(key, () => void sync.push(...asks.map(refused)));
  await settled(sync);
  const asked = asks.length + sync.length;
  // A request after it is no nested one.
  const after = await settled([handle.request(key, set.options, () => {})]);
  return [nestedIsRefused({ asked, refused: refusals.length - (1 - after) })];
};

const PARTS: readonly Part[] = [
  together,
  comingAndGoing,
  inLine,
  takenBack,
  available,
  behindAvailable,
  orphaned,
  inside,
];

/** Two workers that count under all keys, after a third one died with one of them. */
async function acrossThreads(competitor: KeyedCompetitor, url: string): Promise<(string | undefined)[]> {
  const memory = allocateRegion(competitor.words(SETUP));
  competitor.format(memory, SETUP);
  const counters = allocateRegion(KEYS.length);
  const start = (index: number, dies: boolean) =>
    new Worker(new URL("./keyed.examination.worker.ts", import.meta.url), {
      workerData: { url, memory, index, counters, dies } satisfies KeyedTask,
    });
  const mortal = start(2, true);
  await once(mortal, "message");
  const workers = [start(0, false), start(1, false)];
  const exits = workers.map((worker) => once(worker, "exit"));
  await mortal.terminate();
  competitor.workerExited?.(memory, SETUP, 2);
  await Promise.all(exits);
  const requests = workers.length * SHARE;
  const counted = counters.reduce((sum, count) => sum + count, 0);
  return [
    nothingIsLost({ requests, counted }),
    deadHolderIsAsClaimed(competitor.deadHolder, {
      // A runtime that releases needs no report.
      before: competitor.deadHolder === "releases",
      after: counters[0]! > 0,
    }),
  ];
}
