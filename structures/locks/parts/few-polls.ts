import type { Edit } from "../../shared/mutated.ts";

/**
 * What has locks poll far fewer times before they leave their core, for the model. The model follows the first turns of
 * a waiter that polls and where it gives up, and takes all turns in between to be alike. So it visits as many states
 * with 30 polls as with 20,000. But it had to answer each poll again for every later step.
 */
export const FEW_POLLS = {
  ticket: [["const POLLS_BEFORE_YIELD = 20_000;", "const POLLS_BEFORE_YIELD = 30;"]],
  "mcs-spin-then-park": [["const POLLS_BEFORE_PARK = 20_000;", "const POLLS_BEFORE_PARK = 30;"]],
  "locks.wat": [
    ["(i32.ge_u (local.get $polls) (i32.const 20000))", "(i32.ge_u (local.get $polls) (i32.const 30))"],
    ["(i32.eq (local.get $polls) (i32.const 20000))", "(i32.eq (local.get $polls) (i32.const 30))"],
  ],
} as const satisfies Readonly<Record<string, readonly Edit[]>>;
