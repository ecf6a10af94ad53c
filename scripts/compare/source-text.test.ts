import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { primitives } from "../../structures/catalog.ts";
import { isSameApartFromComments, tokensOf } from "./source-text.ts";

describe("tokens", () => {
  for (const [what, source, tokens] of [
    ["comments are none", "a /* b */ + // c\n d", ["a", "+", "d"]],
    ["a string keeps what looks like a comment", "\"/* a */\" + '// b'", ['"/* a */"', "+", "'// b'"]],
    ["a string goes on behind an escaped quote", String.raw`"a\"// b" c`, [String.raw`"a\"// b"`, "c"]],
    ["a template keeps comments and line breaks", "`// a\n/* b */`", ["`// a\n/* b */`"]],
    [
      "a template's holes are code, with braces and templates of their own",
      `\`a\${ {b: \`c\${d /* e */}f\`} }g\` h`,
      [`\`a\${`, "{", "b", ":", `\`c\${`, "d", "}f`", "}", "}g`", "h"],
    ],
    ["an escaped hole is none", "`a\\${ // b\n` c", ["`a\\${ // b\n`", "c"]],
    [
      "a regular expression keeps quotes and slashes",
      'x = /["/]\\/*"/g; "a"',
      ["x", "=", '/["/]\\/*"/g', ";", '"a"'],
    ],
    [
      "a slash behind a value divides",
      "a / b / c; (a) / 2",
      ["a", "/", "b", "/", "c", ";", "(", "a", ")", "/", "2"],
    ],
    ["operators that touch are one", "a ++b; a + +b", ["a", "++", "b", ";", "a", "+", "+", "b"]],
  ] as const) {
    it(what, () => assert.deepEqual(tokensOf(source), tokens));
  }

  it("are refused where something does not end", () => {
    for (const source of ['"a', "`a", "/* a", "f() {", "a = `${b`"])
      assert.throws(() => tokensOf(source), source);
  });

  it("are found in every contract of the lab", () => {
    for (const primitive of primitives()) {
      const contract = new URL(`../../structures/${primitive}/${primitive}.contract.ts`, import.meta.url);
      assert.ok(tokensOf(readFileSync(contract, "utf8")).length > 100, primitive);
    }
  });
});

describe("two texts", () => {
  const text =
    'interface Lock {\n  /** Waits. */\n  acquire(timeoutMs: number): "held" | "late"; // soon\n}\n';

  it("are the same where only comments and blanks differ", () => {
    const other = 'interface Lock { acquire(\n  timeoutMs: number,): "held" | "late"; }'.replace(",)", ")");
    assert.ok(isSameApartFromComments(text, other));
    assert.ok(isSameApartFromComments(text, text.replace("Waits.", "Waits until it is free.")));
  });

  it("differ where a type, a name or a string does", () => {
    for (const [from, to] of [
      ["number", "bigint"],
      ["timeoutMs", "timeoutNs"],
      ["held", "// held"],
      ["late", "la te"],
      ["timeoutMs: number", ""],
    ] as const) {
      assert.equal(isSameApartFromComments(text, text.replace(from, to)), false, `${from} -> ${to}`);
    }
  });

  it("that cannot be read are the same to the letter only", () => {
    assert.ok(isSameApartFromComments("`a", "`a"));
    assert.equal(isSameApartFromComments("`a // b", "`a // c"), false);
  });
});
