/**
 * Makes Atomics and the constructors of views know explored memory from now on; all else stays as it is. To be
 * imported before code that keeps them, as in `const { load } = Atomics` or `class Ring extends Int32Array`:
 *
 *     import "interleave-shared/register";
 *     import { Ring } from "./ring.js";
 */
import { registerForEver } from "./memory/stand-in.ts";

registerForEver();
