import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { kindOf } from "./kind.ts";

const thrownBy = (promise: () => void): unknown => {
  try {
    promise();
  } catch (error) {
    return error;
  }
  return assert.fail("an error was expected");
};

describe("failures", () => {
  const must = (holds: boolean, message: string) => {
    if (!holds) throw new Error(message);
  };
  const kinds = (...promises: readonly (() => void)[]) =>
    new Set(promises.map((promise) => kindOf("end", thrownBy(promise)))).size;

  it("are the same where only numbers differ", () => {
    const held = (slots: readonly number[]) => () => must(false, `slots ${slots} are held`);
    assert.equal(kinds(held([1, 2, 2]), held([2, 2]), held([-1])), 1);
    const equal = (value: unknown) => () => assert.deepEqual(value, {});
    assert.equal(kinds(equal([1, 2]), equal("text")), 1);
    const throws = (value: unknown) => () => {
      throw value;
    };
    assert.equal(kinds(throws("wrong 7"), throws("wrong 8")), 1);
  });

  it("are others where they say something else, come from elsewhere or are of another kind", () => {
    const says = (text: string) => () => must(false, text);
    assert.equal(kinds(says("lost"), says("marked")), 2);
    assert.equal(
      kinds(
        () => assert.equal(1, 2),
        () => assert.equal(1, 2),
      ),
      2,
    );
    const fails = (Kind: ErrorConstructor) => () => {
      throw new Kind("failed");
    };
    assert.equal(kinds(fails(Error), fails(TypeError)), 2);
    const error = new Error("failed");
    assert.notEqual(kindOf("end", error), kindOf("thrown", error));
  });
});
