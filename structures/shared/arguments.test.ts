import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertFunction, assertInteger, assertOptions, type OptionKinds } from "./arguments.ts";

interface Options {
  readonly times?: number | undefined;
  readonly isLoud?: boolean | undefined;
  readonly said?: (() => void) | undefined;
  readonly to?: object | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly all?: readonly number[] | undefined;
}

const KINDS: OptionKinds<Options> = {
  times: "any",
  isLoud: "boolean",
  said: "function",
  to: "object",
  signal: "signal",
  all: "array",
};

describe("shared: what the doors of the package are given", () => {
  it("passes where it is right, and where it is undefined", () => {
    const { signal } = new AbortController();
    assertOptions("say", {}, KINDS);
    assertOptions("say", { times: 2, isLoud: false, said() {}, to: [], signal, all: [] }, KINDS);
    assertOptions("say", { isLoud: undefined, said: undefined, to: undefined, signal: undefined }, KINDS);
    // As of a library that has a class of its own.
    assertOptions("say", { signal: { aborted: true, addEventListener() {} } as never }, KINDS);
    assertFunction("say", "body", () => {});
    for (const value of [1, 3]) assertInteger("times", value, 1, 3);
  });

  it("is refused in one line otherwise", () => {
    const takes = "times, isLoud, said, to, signal, all";
    for (const [options, message] of [
      [undefined, `say: options undefined are no plain object: give { ${takes} }`],
      [null, `say: options null are no plain object: give { ${takes} }`],
      [[1], `say: options [Array] are no plain object: give { ${takes} }`],
      [4, `say: options 4 are no plain object: give { ${takes} }`],
      [new AbortController().signal, `say: options [AbortSignal] are no plain object: give { ${takes} }`],
      [{ time: 2 }, `say: there is no option 'time': it takes ${takes}`],
      [{ toString: 2 }, `say: there is no option 'toString': it takes ${takes}`],
      [{ isLoud: "a\nb" }, "say: isLoud 'a\\nb' is not a boolean"],
      [{ said: {} }, "say: said {} is not a function"],
      [{ all: "ab" }, "say: all 'ab' is not an array"],
      [{ to: null }, "say: to null is not an object"],
      [{ signal: {} }, "say: signal {} is not an AbortSignal"],
    ] as const)
      assert.throws(() => assertOptions("say", options as never, KINDS), { name: "TypeError", message });
    assert.throws(() => assertFunction("say", "body", 1), {
      name: "TypeError",
      message: "say: body 1 is not a function",
    });
    for (const value of [0, 4, 1.5, Number.NaN, "2", undefined, 2n])
      assert.throws(() => assertInteger("times", value, 1, 3), {
        name: "RangeError",
        message: / is not an integer in 1 \.\. 3$/,
      });
  });
});
