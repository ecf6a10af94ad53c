import { pairs } from "../pairs.ts";

const CAPACITY = 1024;

export default [
  pairs(
    {
      scenario: "handed-8",
      headline: true,
      title: "every worker sends 8 bytes and receives 8 that were sent before",
    },
    { messages: "words", length: 2, capacity: CAPACITY },
  ),
  pairs(
    { scenario: "handed-64", title: "every worker sends 64 bytes and receives 64 that were sent before" },
    { messages: "words", length: 16, capacity: CAPACITY },
  ),
  // What the simulated crews of handed-8 do besides their shared accesses is taken from this.
  pairs(
    {
      scenario: "alone-8",
      isAlone: true,
      title: "one worker sends 8 bytes and receives 8 that it sent before",
    },
    { messages: "words", length: 2, capacity: CAPACITY },
  ),
];
