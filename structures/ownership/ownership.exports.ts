/** What a program needs to know who owned what; the maps are modules of their own, `hotpath-lab/ownership/<name>`. */
export { Interner, MOST_NAMES } from "../shared/interner.ts";
export { type WorkerIdentity, workerIdentity } from "../shared/worker-identity.ts";
export {
  attributed,
  type Capacity,
  type ChangeLog,
  type ChangesCompetitor,
  type ClaimsCompetitor,
  CONFLICT,
  formatted,
  inferred,
  isInferred,
  NO_EVIDENCE,
  NOBODY,
  type Ownership,
  type OwnershipCompetitor,
  privateOwnership,
  type Range,
} from "./ownership.contract.ts";
