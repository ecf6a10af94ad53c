export { type DefinedRace, defineRace, type RaceDefinition } from "./define-race.ts";
export type { Lab, StartThreads, Threads } from "./lab.ts";
export type { Excerpt, Race, Runner, Setup, Traits, WorkDone, WorkerIdentity } from "./race.ts";
export {
  type Interval,
  type Printing,
  type RaceOptions,
  type RaceRow,
  type RaceTable,
  runRace,
} from "./run-race.ts";
export { type Allocator, allocateRegion, type Region, STRIDE_BYTES, STRIDE_WORDS } from "./words/layout.ts";
export { derivedSeed, Random } from "./words/random.ts";
