import { randomWords } from "hotpath-lab/draws";
import lemire from "hotpath-lab/draws/lemire";

/**
 * Throws a die without a favourite side; the same seed gives the same throws on every machine. It prints:
 *
 *     by side: 99758 100036 100698 99892 99937 99679
 */
const THROWS = 600_000;
const SEED = 1;

const die = lemire.attach(randomWords(SEED), 6);
const sides = new Array<number>(6).fill(0);
for (let thrown = 0; thrown < THROWS; thrown++) sides[die.draw()]! += 1;
console.log(`by side: ${sides.join(" ")}`);
