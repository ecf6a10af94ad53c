import { after } from "node:test";
import { testLaws } from "../shared/law-tests.ts";
import { examination, examinationThreads } from "./limits.examination.ts";
import * as laws from "./limits.laws.ts";
import { mutants } from "./limits.mutants.ts";

/** Kept, because to start them takes longer than to examine. */
const threads = examinationThreads();
after(() => threads.destroy());

const examine = (url: string) => examination.examine(url, threads);

await testLaws({
  primitive: "limits",
  examination: { ...examination, examine },
  mutants,
  laws: { ...laws, badInputIsRefused: true },
  // The same laws again, of threads and of totals.
  without: ["neverOverInWindows", "totalsKeepLimit"],
  tries: 40,
});
