import assert from "node:assert/strict";
import { test } from "node:test";
import { failureText } from "./harness.ts";

test("whatever was thrown reads as one line", () => {
  const thrown: [unknown, string][] = [
    [new Error("boom"), "error: boom"],
    [new Error("first\r\nsecond"), "error: first"],
    [{ message: "from a saved result", stack: "" }, "error: from a saved result"],
    ["text", "error: text"],
    [7, "error: 7"],
    [null, "error: null"],
    [new Error(" \n"), "error without a message"],
    ["", "error without a message"],
    [{}, "error without a message"],
  ];
  for (const [value, text] of thrown) assert.equal(failureText(value), text);
});
