import typedArrayCounter from "hotpath-lab/starter/typed-array-counter";

/**
 * Gives three numbers. It prints:
 *
 *     0 1 2
 */
const counter = typedArrayCounter.attach();
console.log(`${counter.next()} ${counter.next()} ${counter.next()}`);
