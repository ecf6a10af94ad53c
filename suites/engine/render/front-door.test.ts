import assert from "node:assert/strict";
import { it } from "node:test";
import { pictureOfBothWidths } from "./drawing.ts";
import { frontDoorPage } from "./front-door.ts";

const PICK = {
  primitive: "pick",
  races: [],
  question: "Which one?",
  answer: {
    inShort: "Take *it*, see [why](../reviews/0001-why.md), [how](test.md#how) and [x](https://example.com).",
  },
  picture: pictureOfBothWidths({ alt: 'a "chart"', file: "test-ns-per-op.svg" }),
  isPublished: true,
  isOnRuntimes: false,
};

it("the front door shows question, answer, picture and link of each, as seen from its folder", () => {
  const page = frontDoorPage([PICK], [{ file: "0001-why.md", text: "# 0001: why\n\nText.\n" }]);
  assert.ok(
    page.includes(`## pick

*Which one?*

Take *it*, see [why](reviews/0001-why.md), [how](pick/test.md#how) and [x](https://example.com).

<picture>
  <source media="(max-width: 600px)" srcset="pick/test-ns-per-op-narrow.svg">
  <img alt="a &quot;chart&quot;" src="pick/test-ns-per-op.svg">
</picture>

[All tables and pictures of pick](pick/README.md)
`),
    page,
  );
  assert.match(page, /^## Reviews\n\n- \[0001: why\]\(reviews\/0001-why\.md\)\n/m);
});

it("what has no answer or no record is there all the same", () => {
  const bare = { ...PICK, answer: undefined, picture: undefined };
  const page = frontDoorPage([bare, { ...bare, primitive: "locks", isPublished: false }], []);
  assert.match(page, /^## pick\n\n\*Which one\?\*\n\n\[All tables and pictures of pick\]/m);
  assert.match(page, /^## locks\n\n\*Which one\?\*\n\nNothing is published yet; .*README\.md#locks\)/m);
  assert.doesNotMatch(page, /## Reviews/);
});

it("what was raced on several runtimes has a link of its own, behind the page of what runs where", () => {
  const links = (isOnRuntimes: boolean) => frontDoorPage([{ ...PICK, isOnRuntimes }], []);
  for (const page of [links(false), links(true)])
    assert.match(page, /\[What runs where\]\(runtimes\/README\.md\)/);
  assert.doesNotMatch(links(false), /runtimes\/pick\/README\.md/);
  assert.match(links(true), /^- \[pick\]\(runtimes\/pick\/README\.md\)$/m);
});
