/**
 * The promises as pure functions over what was observed. Each returns undefined, or one sentence that says what broke and
 * by how much.
 */

/** The sum of the first numbers is that of 0, 1, 2, ..., both wrapped to 32 bits: all that a race keeps of them. */
export function numbersAddUp(count: number, checksum: number): string | undefined {
  const expected = Number(BigInt.asIntN(32, (BigInt(count) * BigInt(count - 1)) / 2n));
  return checksum === expected
    ? undefined
    : `numbersAddUp: the sum of ${count} numbers is ${checksum}, not ${expected}`;
}
