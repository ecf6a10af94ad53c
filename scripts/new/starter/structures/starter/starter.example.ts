import plainCounter from "hotpath-lab/starter/plain-counter";

/**
 * Gives three numbers. It prints:
 *
 *     0 1 2
 */
const counter = plainCounter.attach();
console.log(`${counter.next()} ${counter.next()} ${counter.next()}`);
