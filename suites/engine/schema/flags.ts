/** Those of our own flags that forks have too: what gives the language more, because a competitor may need it. */
export const LANGUAGE_FLAGS: readonly string[] = process.execArgv.filter((flag) =>
  flag.startsWith("--harmony"),
);
