/** The flags of ours that forks also get: they give the language more, because a competitor may need it. */
export const LANGUAGE_FLAGS: readonly string[] = process.execArgv.filter((flag) =>
  flag.startsWith("--harmony"),
);

/** V8's: the thread that runs code makes its optimised form, too, and at the same place in each process. */
export const COMPILED_ALIKE = "--no-concurrent-recompilation";
