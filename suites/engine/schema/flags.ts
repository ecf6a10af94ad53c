/** The flags of ours that forks also get: they give the language more, because a competitor may need it. */
export const LANGUAGE_FLAGS: readonly string[] = process.execArgv.filter((flag) =>
  flag.startsWith("--harmony"),
);
