import { mkdirSync, realpathSync } from "node:fs";

/** What a process may do that is confined, beside reading; of newer Nodes some flags are more, and of older ones less. */
const ALLOWED = [
  "--allow-addons",
  "--allow-child-process",
  "--allow-ffi",
  "--allow-inspector",
  "--allow-net",
  "--allow-wasi",
  "--allow-worker",
];

/** Where what is written is gone: no files. */
const SINKS = ["/dev/null", "/dev/stdout", "/dev/stderr"];

/**
 * Node's flags for a process or thread that may write files in these folders alone, which are made where they are not there.
 * `known`: the flags of the Node that runs it.
 * Node 24 passes these flags on to Node processes that it starts. Other programs that it starts are not confined.
 */
export function confinedTo(
  folders: readonly string[],
  known: ReadonlySet<string> = process.allowedNodeEnvironmentFlags,
): string[] {
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  const own = new Set(folders.flatMap((folder) => [folder, realpathSync(folder)]));
  return [
    "--permission",
    "--allow-fs-read=*",
    ...[...own, ...SINKS].map((folder) => `--allow-fs-write=${folder}`),
    ...ALLOWED.filter((flag) => known.has(flag)),
    // Each of these flags has Node warn of it.
    "--disable-warning=SecurityWarning",
  ];
}

/** The flags that confine this process. A thread that is started with flags of its own has these only if it is given them. */
export const CONFINEMENT: readonly string[] = process.execArgv.filter((flag) =>
  /^--(?:permission$|allow-|disable-warning=SecurityWarning)/.test(flag),
);
