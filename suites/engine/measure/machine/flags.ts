import v8 from "node:v8";

// Taken while this module is loaded: a competitor that comes later can replace it for itself alone.
const { cachedDataVersionTag } = v8;

/**
 * A number that is another one once any thread of this process has changed V8's flags, which all of them share. Takes some
 * 50 ns. The same always on runtimes that have no such number.
 */
export const tagOfFlags: () => number = isKnown() ? cachedDataVersionTag : () => 0;

function isKnown(): boolean {
  try {
    return cachedDataVersionTag() > 0;
  } catch {
    return false;
  }
}

/** The flags of ours that forks also get: they give the language more, because a competitor may need it. */
export const LANGUAGE_FLAGS: readonly string[] = process.execArgv.filter((flag) =>
  flag.startsWith("--harmony"),
);

/** V8's: the thread that runs code makes its optimised form, too, and at the same place in each process. */
export const COMPILED_ALIKE = "--no-concurrent-recompilation";
