/** What a program needs to look up owners; the maps are modules of their own, `hotpath-lab/ownership/<name>`. */
export { freeSeat } from "../shared/instance.ts";
export { Interner, MOST_NAMES, NameTable } from "../shared/interner.ts";
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
export {
  attachOwnership,
  attachTo,
  makeInstance,
  makeOwnership,
  type OwnershipInstance,
  type OwnershipSetup,
  WRITER,
} from "./ownership.instance.ts";
export { type ClaimStream, exportClaims, rebuild } from "./parts/stream.ts";
