import { it } from "node:test";
import { goldenCases } from "../../engine/golden.trials.ts";
import { frontDoorPage } from "./front-door.ts";

const PICK = {
  primitive: "pick",
  races: [],
  metrics: [],
  question: "Which one?",
  answer: {
    text: "- **With 1 worker** take `a`.\n",
    inShort:
      "**Take it.** It *is* so, see [why](../reviews/0001-why.md), [how](test.md#how) and [x](https://example.com).",
  },
  picture: { alt: 'a "chart"', file: "test-ratios.svg" },
  isPublished: true,
  isOnRuntimes: true,
};

it("the opening page of all results", (t) => {
  const undecided = { ...PICK, primitive: "draws", answer: { text: "", inShort: "It depends." } };
  const bare = { ...PICK, primitive: "slots", answer: undefined, picture: undefined, isOnRuntimes: false };
  const unpublished = { ...bare, primitive: "locks", isPublished: false };
  const review = { file: "0001-why.md", text: "# 0001: why\n\nText.\n" };
  goldenCases(t, "testdata/front-door.md", {
    everything: frontDoorPage(
      [PICK, undecided, bare, unpublished],
      [review],
      ["[More](more.md)."],
      "*holds* 2.\n",
    ),
    "no review, and nothing on several runtimes": frontDoorPage([bare], []),
  });
});
