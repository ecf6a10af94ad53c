import { inspect } from "node:util";
import { scrambled } from "../../shared/murmur3.ts";
import type { Key } from "../keyed.contract.ts";

/** No key has this hash. */
export const NO_KEY = 0;

/** FNV-1a's for 32 bits (Fowler, Noll & Vo). */
const BASIS = 0x811c9dc5;
const PRIME = 0x01000193;
const TWO_TO_32 = 2 ** 32;

/**
 * An int32 for a key, never NO_KEY. Strings by FNV-1a over their UTF-16 units, then all by the finaliser of MurmurHash3, so
 * that neighbours do not share stripes in a pattern. Keys that come from strangers can be made to share a stripe: the hash
 * has no secret. Another `salt`, an even int32, makes another hash. Throws a TypeError for another value.
 */
export function hashOf(key: Key, salt = 0): number {
  if (typeof key === "string") {
    let bits = BASIS;
    for (let at = 0; at < key.length; at++) bits = Math.imul(bits ^ key.charCodeAt(at), PRIME + salt);
    return scrambled(bits) || 1;
  }
  if (!Number.isSafeInteger(key))
    throw new TypeError(`${inspect(key, { depth: -1 })} is no key: give a string or a safe integer`);
  const high = Math.floor(key / TWO_TO_32);
  return scrambled((high === 0 ? key | 0 : scrambled(high ^ salt) ^ key) ^ salt) || 1;
}
