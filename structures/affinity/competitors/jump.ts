import { hashOf } from "../../keyed/parts/key.ts";
import { scrambled } from "../../shared/murmur3.ts";
import { type Affinity, type AffinityCompetitor, assertMembers, NONE } from "../affinity.contract.ts";

/**
 * The last member that the key would have jumped to, had members come one by one: no table, and a logarithm of steps.
 *
 * Promise: one more member at the end takes its own keys, and no others move. Shares are fair but for chance.
 * Progress: wait-free.
 * Threads: any; each has its own handle.
 * Cost: a hash of the key, then a division for each of ln(members) jumps on average.
 * Memory: private: none.
 * Limits: knows members by their places. Where any but the last goes, keys of others move: it is for shards that are
 *   numbered, not for servers that fail. All alike. What is avoided is stepped over by new hashes of the key, then in turn.
 * Bet: the fastest where members only come at the end.
 * Source: Lamping & Veach, "A fast, minimal memory, consistent hash algorithm", arXiv:1406.2294, 2014.
 */
const jump = {
  summary: "the last jump of the key as members come one by one at the end of the list",
  source: "Lamping & Veach 2014",
  progress: "wait-free",
  placement: "jump",
  follows: "positions",
  weighted: false,
  mostMembers: 2 ** 20,
  surplus: () => 0,
  spread: () => 0,

  create(members): Affinity {
    assertMembers(jump, members);
    const { length } = members;
    return {
      pick(key, avoid) {
        let hash = hashOf(key);
        let member = jumped(hash, length);
        for (let again = 0; again < AGAIN && avoid?.(member); again++) {
          hash = scrambled(hash + STEP);
          member = jumped(hash, length);
        }
        for (let passed = 0; passed < length; passed++, member = (member + 1) % length)
          if (!avoid?.(member)) return member;
        return NONE;
      },
    };
  },
} satisfies AffinityCompetitor;
export default jump;

/** New hashes of a key before members are tried in turn. */
export const AGAIN = 64;
export const STEP = 0x9e3779b9 | 0;

/** The multiplier of the 64-bit generator in the paper, 2862933555777941757, in halves; its increment is 1. */
const HIGH = 0x27bb2ee6;
const LOW = 0x87b0b0fd;
const TWO_TO_32 = 2 ** 32;

function jumped(hash: number, members: number): number {
  let high = 0;
  let low = hash >>> 0;
  let member = 0;
  let next = 0;
  while (next < members) {
    member = next;
    const carry = timesHigh(low, LOW);
    high = (carry + Math.imul(low, HIGH) + Math.imul(high, LOW)) >>> 0;
    low = (Math.imul(low, LOW) + 1) >>> 0;
    if (low === 0) high = (high + 1) >>> 0;
    next = Math.floor((member + 1) * (2 ** 31 / ((high >>> 1) + 1)));
  }
  return member;
}

/** The upper 32 bits of the product of two uint32. */
function timesHigh(one: number, other: number): number {
  const cross = (one >>> 16) * (other & 0xffff) + (((one & 0xffff) * (other & 0xffff)) >>> 16);
  const rest = (one & 0xffff) * (other >>> 16) + (cross % 0x10000);
  return (
    ((one >>> 16) * (other >>> 16) + Math.floor(cross / 0x10000) + Math.floor(rest / 0x10000)) % TWO_TO_32
  );
}
