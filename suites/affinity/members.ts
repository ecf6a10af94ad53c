import type { AffinityMember } from "../../structures/affinity/affinity.contract.ts";

/** More than hashring's cache of 5,000 holds. */
export const USERS: readonly string[] = Array.from({ length: 2 ** 14 }, (_, user) => `user/${user}`);

/** Servers of one network, from the number `from` on. */
export function membersNamed(count: number, from = 0): AffinityMember[] {
  return Array.from({ length: count }, (_, at) => ({ id: serverOf(from + at) }));
}

function serverOf(number: number): string {
  return `http://10.${number >>> 16}.${(number >>> 8) & 255}.${number & 255}:8080`;
}
