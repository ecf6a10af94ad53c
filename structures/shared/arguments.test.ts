import { describe, it } from "node:test";
import { itRefusesAsWritten } from "../interleave/calls.trials.ts";
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
});

const REFUSALS = new URL("testdata/arguments.txt", import.meta.url);

itRefusesAsWritten("shared: what the doors are given otherwise", REFUSALS, () => {
  return {
    say: (options: object) => assertOptions("say", options, KINDS),
    body: (value: unknown) => assertFunction("say", "body", value),
    times: (value: unknown) => assertInteger("times", value, 1, 3),
  };
});
