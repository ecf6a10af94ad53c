import assert from "node:assert/strict";
import { it } from "node:test";
import { frontDoorPage } from "./front-door.ts";

const PICK = {
  primitive: "pick",
  races: [],
  question: "Which one?",
  answer: {
    text: "",
    inShort:
      "**Take it.** It *is* so, see [why](../reviews/0001-why.md), [how](test.md#how) and [x](https://example.com).",
  },
  picture: { alt: 'a "chart"', file: "test-ratios.svg" },
  isPublished: true,
  isOnRuntimes: false,
};

it("has a row for each primitive with the words in bold that its answer begins with", () => {
  const page = frontDoorPage([PICK, { ...PICK, answer: { text: "", inShort: "It depends." } }], []);
  assert.match(page, /^\| \[pick\]\(pick\/README\.md\) \| Which one\? \| \*\*Take it\.\*\* +\|$/m);
  assert.match(page, /^\| \[pick\]\(pick\/README\.md\) \| Which one\? \| +\|$/m);
});

it("folds away answer, picture and link of each, as seen from its folder", () => {
  const page = frontDoorPage([PICK], [{ file: "0001-why.md", text: "# 0001: why\n\nText.\n" }]);
  assert.ok(
    page.includes(`<summary><b>pick</b>, in short and as a picture</summary>

**Take it.** It *is* so, see [why](reviews/0001-why.md), [how](pick/test.md#how) and [x](https://example.com).

<img alt="a &quot;chart&quot;" src="pick/test-ratios.svg">

[All tables and pictures of pick](pick/README.md)

</details>
`),
    page,
  );
  assert.match(page, /^## Reviews\n\n<details>\n<summary>.*\n\n- \[0001: why\]\(reviews\/0001-why\.md\)\n/m);
});

it("has a row of what has no answer or no record", () => {
  const bare = { ...PICK, answer: undefined, picture: undefined };
  const page = frontDoorPage([bare, { ...bare, primitive: "locks", isPublished: false }], []);
  assert.match(page, /^\| \[pick\]\(pick\/README\.md\) +\| Which one\? \| +\|$/m);
  assert.match(page, /^\| \[locks\]\(.*README\.md#locks\) \| Which one\? \| Nothing is published yet\. \|$/m);
  assert.doesNotMatch(page, /in short and as a picture/);
  assert.doesNotMatch(page, /## Reviews/);
});

it("links what was raced on several runtimes, behind the page of what runs where", () => {
  const links = (isOnRuntimes: boolean) => frontDoorPage([{ ...PICK, isOnRuntimes }], []);
  for (const page of [links(false), links(true)]) assert.match(page, /\(runtimes\/README\.md\)/);
  assert.doesNotMatch(links(false), /runtimes\/pick\/README\.md/);
  assert.match(links(true), /Raced on each: \[pick\]\(runtimes\/pick\/README\.md\)\.$/m);
});

it("ends the list on how far to trust the numbers with the items that it is given", () => {
  assert.match(
    frontDoorPage([PICK], [], ["[More](more.md)."]),
    /^- \[Other runtimes\].*\n- \[More\]\(more\.md\)\.\n\n##/m,
  );
});
