import { COMPARISON, FIRST_TABLE, inClone, NIGHT, ONE_GROUP, RACED, SHALLOW, unlessRoot } from "./planted.ts";
import { type Abuse, type Call, mistreat } from "./trial.ts";

/** Terminals, shells, git and machines that are not as they usually are. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there.
const COLOURS = /\x1b\[[39]\dm/;
const LOADED = `for core in 1 2; do node -e 'for (;;) {}' & done; ${ONE_GROUP}; code=$?; kill %1 %2; exit $code`;

/** A race goes well here. */
const well = (name: string, line: string, more?: Partial<Call>): Abuse => ({
  name,
  line,
  before: `mkdir "it's a \\"place\\" of ours"`,
  ...RACED,
  says: FIRST_TABLE,
  ...more,
});

/** Needs more of git than there is. */
const ofGit = (name: string, line: string, says: RegExp, more?: Partial<Abuse>): Abuse => ({
  name,
  line,
  exit: 2,
  says,
  ...more,
});
/** A checkout of another user, which git refuses to trust by default. */
const GIVEN_AWAY = { ...inClone("chown 65534 . .git"), skip: unlessRoot };
const CHANGED = inClone("echo >> package.json");
const LIST = "bench --list pick/uniform-8";

mistreat("environment", [
  well("a terminal", ONE_GROUP, { inTerminal: true }),
  well("no colour", `NO_COLOR=1 ${ONE_GROUP}`, { inTerminal: true, neverSays: COLOURS }),
  well("a dumb terminal", `TERM=dumb ${ONE_GROUP}`, { inTerminal: true, neverSays: COLOURS }),
  well("no terminal type", `env -u TERM ${ONE_GROUP}`, { inTerminal: true }),
  well("a narrow terminal", `stty cols 20; ${ONE_GROUP}`, { inTerminal: true, says: /lemire/ }),
  well("a terminal of one column", `stty cols 1; ${ONE_GROUP}`, { inTerminal: true, says: /lemire/ }),
  well("no language", `LANG=C LC_ALL=C ${ONE_GROUP}`),
  well("a language that is not there", `LANG=xx_XX.UTF-8 LC_ALL=xx_XX.UTF-8 ${ONE_GROUP}`),
  well("no home", `env -u HOME ${ONE_GROUP}`),
  well("a home that is not there", `HOME=/proc/nowhere ${ONE_GROUP}`),
  well("a time zone far away", `TZ=Pacific/Kiritimati ${ONE_GROUP}`),
  // The mark stays, or nothing that is left would be found.
  well("nothing in the environment", `env -i HOTPATH_ABUSE="$HOTPATH_ABUSE" "$BIN"/${ONE_GROUP}`),
  well("a cache that cannot be written", `NODE_COMPILE_CACHE=/sys/nowhere ${ONE_GROUP}`),
  well("a cache that is a file", `NODE_COMPILE_CACHE=/dev/null ${ONE_GROUP}`),
  well("nice", `nice -n 19 ${ONE_GROUP}`),
  well("one core", `taskset --cpu-list 0 ${ONE_GROUP}`),
  well("no core files and few descriptors", `ulimit -c 0; ulimit -n 64; ${ONE_GROUP}`),
  well("without git", `PATH="$BIN" ${ONE_GROUP}`),
  well("a loaded machine", LOADED, { says: /busy|load/ }),
  // What is given twice counts as it is given last.
  well("a folder with quotes", `cd it* && ${ONE_GROUP} --out ../out`),
  ofGit("nightly without git", `PATH="$BIN" ${NIGHT}`, /no git|git cannot be run/),
  ofGit("compare without git", `PATH="$BIN" ${COMPARISON}`, /git cannot be run/),
  ofGit("nightly outside git", NIGHT, /no(t a)? git/, inClone("rm -r .git")),
  ofGit("compare outside git", COMPARISON, /no(t a)? git/, inClone("rm -r .git")),
  ofGit("nightly of another owner", NIGHT, /safe\.directory/, GIVEN_AWAY),
  ofGit("compare of another owner", COMPARISON, /safe\.directory/, GIVEN_AWAY),
  ofGit("compare in a shallow clone", COMPARISON, /shallow/, SHALLOW),
  ofGit("publishing a changed tree", "bench draws --publish", /uncommitted changes/, CHANGED),
  ofGit("nightly of a changed tree", "nightly draws", /uncommitted changes/, CHANGED),
  { name: "nightly in a shallow clone", line: NIGHT, ...SHALLOW, ...RACED },
  { name: "a closed umask", line: `umask 0777; ${ONE_GROUP}`, exit: [0, 2] },
  {
    name: "unknown options of Node",
    line: `NODE_OPTIONS=--frobnicate ${LIST}`,
    exit: 9,
    says: /--frobnicate/,
  },
  { name: "options of no sense", line: `NODE_OPTIONS=--max-old-space-size=no ${LIST}`, exit: [0, 2, 9] },
]);
