import { isDeepStrictEqual } from "node:util";
import {
  type ClaimsCompetitor,
  type OwnershipCompetitor,
  privateOwnership,
} from "../../../structures/ownership/ownership.contract.ts";
import { allocateStream } from "../../../structures/ownership/parts/stream.ts";
import { scrambled } from "../../../structures/shared/murmur3.ts";
import { type Instruments, type Metric, survey } from "../../engine/suite.ts";
import { type ClaimBatch, ENCODINGS, type Encoding, type EncodingName } from "../collectors/encodings.ts";
import { ORIGIN_MS } from "../population.ts";

interface EncodingParams {
  readonly resources: number;
  readonly batches: number;
  readonly claimsPerBatch: number;
}

const NAMES = Object.keys(ENCODINGS) as readonly EncodingName[];
const TITLES: Readonly<Record<EncodingName, string>> = {
  json: "JSON",
  "message-pack": "MessagePack",
  fixed: "Fixed layout",
};
const OWNERS = 4096;
const CLAIM_MS = 60_000;
const BATCH_MS = 1_000;

export default survey<OwnershipCompetitor, EncodingParams>({
  scenario: "encodings",
  title:
    "claims between collectors, in batches of 500: bytes, and the time to write them, and to read and make them",
  headline: false,
  baseline: "flat-sorted-arrays",
  competitors: ["flat-sorted-arrays", "sorted-arrays"],
  params: {
    full: { resources: 100_000, batches: 2_000, claimsPerBatch: 500 },
    smoke: { resources: 1_000, batches: 20, claimsPerBatch: 500 },
  },
  metrics: {
    ...metricsOf("bytes", "bytes", "B/claim", 1),
    ...metricsOf("write", "written", "ns/claim", 0),
    ...metricsOf("read", "read and made", "ns/claim", 0),
    changed: { title: "Batches that were read otherwise than written", unit: "", digits: 0 },
  },
  run: surveyEncodings,
  law: (_competitor, _params, { changed }) =>
    changed === 0 ? undefined : `${changed} batches were read otherwise than they were written`,
});

function metricsOf(key: string, title: string, unit: string, digits: number): Record<string, Metric> {
  return Object.fromEntries(
    NAMES.map((name) => [`${key}-${name}`, { title: `${TITLES[name]}, ${title}`, unit, digits }]),
  );
}

function surveyEncodings(
  competitor: OwnershipCompetitor,
  params: EncodingParams,
  _seed: number,
  instruments: Instruments,
): Readonly<Record<string, number>> {
  const batches = Array.from({ length: params.batches }, (_, step) => drawBatch(params, step));
  let changed = 0;
  const metrics: Record<string, number> = {};
  for (const name of NAMES) {
    const encoding = ENCODINGS[name];
    // What is compiled first does not count.
    timeEncoding(
      competitor as ClaimsCompetitor,
      params,
      encoding,
      batches.slice(0, batches.length / 10),
      instruments,
    );
    const timed = timeEncoding(competitor as ClaimsCompetitor, params, encoding, batches, instruments);
    changed += timed.changed;
    const claims = params.batches * params.claimsPerBatch;
    metrics[`bytes-${name}`] = timed.bytes / claims;
    metrics[`write-${name}`] = timed.writeNs / claims;
    metrics[`read-${name}`] = timed.readNs / claims;
  }
  return { ...metrics, changed };
}

function timeEncoding(
  competitor: ClaimsCompetitor,
  { resources }: EncodingParams,
  { encode, decode }: Encoding,
  batches: readonly ClaimBatch[],
  { nowNs }: Instruments,
) {
  const begunNs = nowNs();
  const messages = batches.map(encode);
  const writtenNs = nowNs();
  const capacity = { resources, owners: OWNERS, windowMs: 2 ** 30, ranges: 2 ** 22 };
  const ownership = privateOwnership(competitor, capacity, ORIGIN_MS);
  const readFromNs = nowNs();
  for (const message of messages) {
    const { resources, owners, starts, ends } = decode(message).claims;
    for (let at = 0; at < resources.length; at++)
      ownership.claim(resources[at]!, owners[at]!, starts[at]!, ends[at]!);
  }
  const readNs = nowNs() - readFromNs;
  return {
    bytes: messages.reduce((sum, { length }) => sum + length, 0),
    writeNs: writtenNs - begunNs,
    readNs,
    changed: messages.filter((message, index) => !isDeepStrictEqual(decode(message), batches[index])).length,
  };
}

/** Claims of flows that ended of late, of addresses in no order, whose owners seldom change. */
function drawBatch({ resources, claimsPerBatch }: EncodingParams, step: number): ClaimBatch {
  const claims = allocateStream(claimsPerBatch);
  for (let at = 0; at < claimsPerBatch; at++) {
    const chance = scrambled(step * claimsPerBatch + at);
    const resource = (chance >>> 1) % resources;
    const end = ORIGIN_MS + CLAIM_MS + step * BATCH_MS + (chance & 1023);
    claims.resources[at] = resource;
    claims.owners[at] = (scrambled(resource) >>> 1) % OWNERS;
    claims.starts[at] = end - 1 - ((chance >>> 10) & 8191);
    claims.ends[at] = end;
  }
  return { from: step % 3, step, isLast: true, sentUs: step, claims };
}
