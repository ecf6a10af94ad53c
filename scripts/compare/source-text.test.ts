import assert from "node:assert/strict";
import { it } from "node:test";
import { isSameApartFromComments } from "./source-text.ts";

const TEXT = 'interface Lock {\n  /** Waits. */\n  acquire(timeoutMs: number): "held" | "late"; // soon\n}\n';

it("texts are the same where only comments and blanks differ", () => {
  const other = 'interface Lock { acquire(\n  timeoutMs: number): "held" | "late"; }';
  assert.ok(isSameApartFromComments(TEXT, other));
  assert.ok(isSameApartFromComments(TEXT, TEXT.replace("Waits.", "Waits until it's free.")));
  assert.ok(isSameApartFromComments("a / b /* c */ / d", "a / b / d // c"));
});

it("texts differ where a type, a name or a string does", () => {
  for (const [from, to] of [
    ["number", "bigint"],
    ["timeoutMs", "timeoutNs"],
    ["held", "// held"],
    ["late", "la te"],
    ["timeoutMs: number", ""],
  ] as const) {
    assert.equal(isSameApartFromComments(TEXT, TEXT.replace(from, to)), false, `${from} -> ${to}`);
  }
});

it("texts differ where a seeming comment or blank is code", () => {
  for (const [one, other] of [
    ["a ++b", "a + +b"],
    ["`a // b`", "`a // c`"],
    // Broken off, it is none either.
    ["`a // b", "`a // c"],
    [`\`\${a /* b */} // c\``, `\`\${a} // d\``],
    ["`a\\${ // b`", "`a\\${ // c`"],
    [String.raw`"a\"// b"`, String.raw`"a\"// c"`],
    ['x = /["/]\\/*"/g; "a"', 'x = /["/]\\/*"/g; "b"'],
  ] as const) {
    assert.equal(isSameApartFromComments(one, other), false, one);
    assert.ok(isSameApartFromComments(one, `/* before */ ${one}`), one);
  }
});
