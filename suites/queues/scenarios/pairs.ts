import { pairs } from "../pairs.ts";

const CAPACITY = 1024;

export default [
  pairs(
    { scenario: "pairs-8", headline: true, title: "every worker sends 8 bytes and then receives 8" },
    { messages: "words", length: 2, capacity: CAPACITY },
  ),
  pairs(
    { scenario: "pairs-64", title: "every worker sends 64 bytes and then receives 64" },
    { messages: "words", length: 16, capacity: CAPACITY },
  ),
];
