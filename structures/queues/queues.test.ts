import { after } from "node:test";
import { testLaws } from "../shared/law-tests.ts";
import { examination, examinationThreads } from "./queues.examination.ts";
import * as laws from "./queues.laws.ts";
import { mutants } from "./queues.mutants.ts";

/** Kept, because to start them takes longer than to examine. */
const threads = examinationThreads();
after(() => threads.destroy());

/** In ms: a mutant that loses messages keeps a consumer waiting for ever. */
const STUCK_MS = 2_000;

await testLaws({
  primitive: "queues",
  examination: { ...examination, examine: (url) => examination.examine(url, undefined, threads) },
  examineMutant: (url) => examination.examine(url, STUCK_MS, threads),
  mutants,
  laws: {
    ...laws,
    emptyIsExact: true,
    fullIsExact: true,
    onlyTheOldestGiveWay: true,
  },
  tries: 40,
});
