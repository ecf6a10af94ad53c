import { once } from "node:events";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import {
  attachOwnership,
  CONFLICT,
  Interner,
  makeOwnership,
  NameTable,
  NO_EVIDENCE,
  type OwnershipInstance,
  WRITER,
} from "hotpath-lab/ownership";
import seqlockSlots from "hotpath-lab/ownership/seqlock-slots";

/**
 * Which owner had an address when a flow was seen? One thread hears claims, late and in any order; two workers look up
 * in the same memory. Where no owner claims the moment, or several do, none is blamed. It prints:
 *
 *     1000: checkout
 *     1500: nobody is known to have had it
 *     2000: search
 *     2900: several claim to have had it
 *     1000: nobody is known to have had it
 *     1 of 3 owners is forgotten
 */
const READERS = [1, 2];
const SETUP = { resources: 1000, owners: 100, windowMs: 3_600_000, ranges: 4000 };

/** What the thread that claims posts to the readers, and what it asks them. */
type Message =
  | { readonly learn: "address" | "owner"; readonly id: number; readonly name: string }
  | { readonly unlearn: Record<"address" | "owner", number[]> }
  | { readonly address: string; readonly at: number };

if (isMainThread) {
  // The flows of this example were seen just after the epoch. Without `since` it is about today's flows.
  const instance = makeOwnership(seqlockSlots, { ...SETUP, workers: 1 + READERS.length, since: 0 });
  const map = attachOwnership(seqlockSlots, instance, WRITER);
  const names = { address: new Interner(SETUP.resources), owner: new Interner(SETUP.owners) };
  const readers = READERS.map(
    (index) => new Worker(new URL(import.meta.url), { workerData: { instance, index } }),
  );
  const post = (message: Message) => {
    for (const reader of readers) reader.postMessage(message);
  };
  const answers = () =>
    Promise.all(readers.map(async (reader) => (await once(reader, "message"))[0] as string));

  /** The id of a name that is used until `end`. A thread that does not know the name learns it before anything is claimed of it. */
  const idOf = (learn: "address" | "owner", name: string, end: number) => {
    const isNew = names[learn].find(name) === undefined;
    const id = names[learn].idOf(name, end);
    if (isNew) post({ learn, id, name });
    return id;
  };
  /** From `start` until before `end`, in milliseconds. */
  const claim = (address: string, owner: string, start: number, end: number) =>
    map.claim(idOf("address", address, end), idOf("owner", owner, end), start, end);
  const ask = async (address: string, at: number) => {
    post({ address, at });
    const [one, other] = await answers();
    console.log(`${at}: ${one === other ? one : `${one}, or ${other}`}`);
  };

  claim("10.0.0.1", "search", 2000, 3000);
  claim("10.0.0.1", "checkout", 500, 1200);
  claim("::ffff:10.0.0.1", "billing", 2800, 4000);
  for (const at of [1000, 1500, 2000, 2900]) await ask("10.0.0.1", at);

  // Now and then: what lies before the watermark is forgotten, and so are names that nothing after it needs.
  const known = names.owner.size;
  map.trim(1500);
  const unlearn = { address: names.address.forget(1500), owner: names.owner.forget(1500) };
  post({ unlearn });
  await answers();
  names.address.reuse(unlearn.address);
  names.owner.reuse(unlearn.owner);
  await ask("10.0.0.1", 1000);
  console.log(`${unlearn.owner.length} of ${known} owners is forgotten`);
  await Promise.all(readers.map((reader) => reader.terminate()));
} else {
  const { instance, index } = workerData as { instance: OwnershipInstance; index: number };
  const map = attachOwnership(seqlockSlots, instance, index);
  const names = { address: new NameTable(SETUP.resources), owner: new NameTable(SETUP.owners) };
  const ownerAt = (address: string, at: number) => {
    const resource = names.address.find(address);
    const owner = resource === undefined ? NO_EVIDENCE : map.ownerAt(resource, at);
    if (owner === NO_EVIDENCE) return "nobody is known to have had it";
    if (owner === CONFLICT) return "several claim to have had it";
    return names.owner.nameOf(owner);
  };
  parentPort!.on("message", (message: Message) => {
    if ("learn" in message) names[message.learn].learn(message.id, message.name);
    else if ("unlearn" in message) {
      names.address.unlearn(message.unlearn.address);
      names.owner.unlearn(message.unlearn.owner);
      parentPort!.postMessage("unlearned");
    } else parentPort!.postMessage(ownerAt(message.address, message.at));
  });
}
