import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Collection } from "./collection.ts";
import { keysOf, labelOf } from "./task.ts";

const open = () => ({ run: () => undefined });
const labels = ({ tasks }: Collection): string[] => keysOf(tasks).map(labelOf);

/** A promise that others settle, so that bodies wait for one another and for no clock. */
const signal = () => Promise.withResolvers<void>();

/** Waits for all bodies, which wait for no clock. */
async function ended(collection: Collection): Promise<void> {
  for (let turn = 0; collection.isBusy; turn++) {
    assert.ok(turn < 100, "a body does not end");
    await null;
  }
}

describe("a collection", () => {
  it("puts a task into the groups around it, and below these into its own", () => {
    const collection = new Collection("pause");
    collection.group("outer", "group", () => {
      collection.group("inner", "group", () => collection.add({ name: "a", open }));
      collection.add({ name: "b", open }, ["own"]);
    });
    collection.add({ name: "c", open });
    assert.deepEqual(labels(collection), ["outer / inner / a", "outer / own / b", "c"]);
  });

  it("keeps groups without a name apart, but for those that have a name around them or no task", () => {
    const collection = new Collection("pause");
    const add = (name: string) => () => void collection.add({ name, open });
    collection.group("", "boxplot", () => collection.group(undefined, "summary", add("a")));
    collection.group(undefined, "summary", add("b"));
    add("c")();
    collection.group("named", "group", () => {
      for (const name of ["d", "e"]) collection.group(undefined, "summary", add(name));
    });
    assert.deepEqual(labels(collection), ["a", "summary 2 / b", "bench 2 / c", "named / d", "named / e"]);
  });

  it("leaves a group whose body throws", () => {
    const collection = new Collection("pause");
    const body = () => {
      throw new Error("no");
    };
    assert.throws(() => collection.group("group", "group", body), /^Error: no$/);
    collection.add({ name: "after", open });
    assert.deepEqual(labels(collection), ["after"]);
  });

  it("keeps apart what asynchronous bodies add that nobody awaits", async () => {
    const collection = new Collection("pause");
    for (const name of ["first", "second"]) {
      collection.group(name, "group", async () => void collection.add({ name: "a", open }));
    }
    collection.add({ name: "after", open });
    assert.deepEqual(labels(collection), ["first / a", "second / a", "after"]);
    assert.equal(collection.isBusy, true);
    await null;
    await null;
    assert.equal(collection.isBusy, false);
    collection.add({ name: "later", open });
    assert.deepEqual(labels(collection).at(-1), "later");
  });

  it("keeps what an awaited body adds after a wait in its groups", async () => {
    const collection = new Collection("pause");
    const { promise, resolve } = signal();
    const outer = collection.group("outer", "group", async () => {
      await collection.group("inner", "group", async () => {
        await promise;
        collection.add({ name: "a", open });
      });
      collection.add({ name: "b", open });
    });
    resolve();
    await outer;
    collection.add({ name: "c", open });
    assert.deepEqual(labels(collection), ["outer / inner / a", "outer / b", "c"]);
  });

  it("runs deferred bodies in turn once the file is imported, and those within one right after it", async () => {
    const collection = new Collection("pause");
    const { promise, resolve } = signal();
    collection.defer("first", "group", async () => {
      collection.defer("inner", "group", () => collection.add({ name: "b", open }));
      await promise;
      collection.add({ name: "a", open });
    });
    collection.defer("second", "group", () => collection.add({ name: "c", open }));
    await null;
    assert.deepEqual(labels(collection), []);
    collection.imported();
    await null;
    assert.deepEqual(labels(collection), []);
    assert.equal(collection.isBusy, true);
    resolve();
    await ended(collection);
    assert.deepEqual(labels(collection), ["first / a", "first / inner / b", "second / c"]);
  });

  it("runs a body that is deferred later, too", async () => {
    const collection = new Collection("pause");
    collection.imported();
    await ended(collection);
    collection.defer("late", "group", () => collection.add({ name: "a", open }));
    await ended(collection);
    assert.deepEqual(labels(collection), ["late / a"]);
  });

  it("fails by the first error of an asynchronous body, and goes on", async () => {
    for (const start of ["defer", "group"] as const) {
      const collection = new Collection("pause");
      for (const name of ["one", "two"]) {
        void collection[start](name, "group", async () => {
          collection.add({ name, open });
          throw new Error(name);
        });
      }
      collection.imported();
      await ended(collection);
      assert.equal(String(collection.failure?.error), "Error: one");
      assert.deepEqual(labels(collection), ["one / one", "two / two"]);
    }
  });

  it("does not wait for a body that waits for a run without an end", async () => {
    const collection = new Collection("pause");
    void collection.group("group", "group", () => collection.ran(() => 1));
    await null;
    assert.equal(collection.isBusy, false);
  });

  it("makes results up only where a file goes on", async () => {
    const goingOn = new Collection("go-on");
    assert.equal(await goingOn.ran(() => "made up"), "made up");
    const pausing = new Collection("pause");
    const never = pausing.ran(() => assert.fail("made up though it is paused"));
    assert.equal(
      await Promise.race([never, new Promise((resolve) => setImmediate(resolve, "paused"))]),
      "paused",
    );
  });
});
