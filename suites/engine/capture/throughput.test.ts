import assert from "node:assert/strict";
import { it } from "node:test";
import { perOperationOf } from "./throughput.ts";

it("what an operation works on is of all tasks or of each by name, and wrong words are refused", () => {
  const of = (throughput: unknown) => perOperationOf({ throughput }, [{ name: "a" }, { name: "b" }]);
  const [bytes, items] = [
    { unit: "bytes", amount: 4096 },
    { unit: "items", amount: 2.5 },
  ];
  for (const [throughput, seen] of [
    [undefined, [undefined, undefined]],
    [{ bytes: 4096 }, [bytes, bytes]],
    [{ a: { bytes: 4096 }, b: { items: 2.5 } }, [bytes, items]],
    [{ b: { items: 2.5 } }, [undefined, items]],
    // A group of tasks, and a task.
    [{ bytes: () => 1 }, [undefined, undefined]],
    [() => 1, [undefined, undefined]],
  ] as const)
    assert.deepEqual(of(throughput), seen);
  const how = "write { bytes: 4096 } or { items: 100 }, for all or by task";
  for (const [throughput, reason] of [
    [{ byte: 4 }, `has 'byte': ${how}`],
    [{ bytes: 0 }, `has 'bytes': ${how}`],
    [{ bytes: 4, items: 1 }, `has 'bytes': ${how}`],
    [{ a: { bytes: "4" } }, `has 'a': ${how}`],
    [{ c: { bytes: 4 } }, "names 'c', which is no task"],
  ] as const)
    assert.throws(() => of(throughput), { message: `its export 'throughput' ${reason}` });
});
