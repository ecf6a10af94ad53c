import { after } from "node:test";
import { testLaws } from "../shared/law-tests.ts";
import { examination, examinationThreads } from "./affinity.examination.ts";
import * as laws from "./affinity.laws.ts";
import { mutants } from "./affinity.mutants.ts";

/** Kept, because to start them takes longer than to examine. */
const threads = examinationThreads();
after(() => threads.destroy());

const examine = (url: string) => examination.examine(url, threads);

await testLaws({
  primitive: "affinity",
  examination: { ...examination, examine },
  mutants,
  laws: { ...laws, badInputIsRefused: true },
});
