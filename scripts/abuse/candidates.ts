import type { Abuse, Call, Promised } from "./abuse.ts";
import { type Planted, planted } from "./planted-candidates.ts";
import { RACED } from "./races.ts";

/** Candidates that misbehave: while they are imported, while they are examined, and once they race. */

/** A picker whose handles do this instead of picking; `honestly()` picks. */
function picking(statements: string): Planted {
  return {
    own: `attach(...given) {
    const handle = honest.attach(...given);
    const honestly = () => handle.pick();
    return { ...handle, pick() { ${statements} } };
  },`,
  };
}

/** More picks than an examination asks of one handle, and fewer than a race does. */
const PICKS_BEFORE_A_RACE = 1_000_000;

/** A picker that is honest as long as it is examined. */
function pickingInRaces(statements: string): Planted {
  return {
    own: `attach(...given) {
    const handle = honest.attach(...given);
    let left = ${PICKS_BEFORE_A_RACE};
    return { ...handle, pick() { if (--left < 0) { ${statements} } return handle.pick(); } };
  },`,
  };
}

const DIE = 'process.kill(process.pid, "SIGKILL");';
const QUIT = "process.exit(0);";
const THROW = 'throw new Error("out of luck");';
const FOREVER = "for (;;) {}";

/** A quick race of a candidate beside its baseline. */
function race(file: string, cell: string, ...options: string[]): Call["command"] {
  const shortest = ["--profile", "quick", "--budget", "1s", "--out", "out"];
  return ["bench", cell, "--candidate", file, ...shortest, ...options];
}

/** A picker that is raced alone, from a file of its name. */
function picker(name: string, what: Planted | string, promised: Promised): Abuse {
  const text = typeof what === "string" ? what : planted(what);
  return {
    name: `candidates/${name}`,
    files: { [`${name}.ts`]: text },
    command: race(`${name}.ts`, `pick/uniform-8/${name}/1w`),
    promised,
  };
}

/** Of what cannot be imported: one line that names the file. */
function notImported(name: string, atTop: Planted | string, why: RegExp): Abuse {
  return picker(name, atTop, { exit: 2, says: new RegExp(`${name}\\.ts.*(${why.source})`) });
}

/** Of what is examined and breaks a law, or dies of it: nothing is raced. */
function notExamined(name: string, what: Planted, why: RegExp): Abuse {
  return picker(name, what, { exit: 1, says: new RegExp(`${name}: .*(${why.source})`), kept: "nothing" });
}

/** Of what passes its examination and fails in the race: its row says so, and the baseline has a number. */
function failsInRace(name: string, statements: string, why: RegExp): Abuse {
  return {
    ...picker(name, pickingInRaces(statements), {
      exit: 1,
      says: why,
      kept: { groups: 1, interrupted: false },
    }),
    afterwards: [
      {
        command: ["report", "$RECORD"],
        promised: { exit: 0, says: /^locked-random +[\d.]+ /m },
      },
    ],
  };
}

/** How a process that has ended, or does not answer, is reported. */
const GONE = /exit|died|SIGKILL|ended/;
const SILENT = /silent/;
/** Of what races like others. */
const WELL: Promised = { exit: RACED, kept: { groups: 1, interrupted: false } };

const imported: readonly Abuse[] = [
  notImported("loops-at-top-level", { atTop: FOREVER }, SILENT),
  notImported("exits-at-top-level", { atTop: QUIT }, GONE),
  notImported("dies-at-top-level", { atTop: DIE }, GONE),
  notImported("throws-at-top-level", { atTop: THROW }, /out of luck/),
  notImported("waits-at-top-level", { atTop: "await new Promise(() => {});" }, SILENT),
  notImported("syntax-error", "export default {\n  summary: 'unclosed',\n  pick(] {},\n};\n", /3:8/),
  notImported("misses-a-module", { atTop: 'import "./missing-module.ts";' }, /missing-module/),
  notImported("exports-nothing", "export const picker = {};\n", /default export/),
  notImported("exports-null", "export default null;\n", /default export/),
  notImported("has-a-field-of-another-type", { own: "words: 7," }, /words/),
  notImported("claims-an-unknown-order", { own: 'order: "zzz",' }, /order.*zzz/),
  notImported(
    "answers-zero-in-an-unknown-order",
    { own: `order: "zzz", ${picking("return 0;").own}` },
    /order.*zzz/,
  ),
  notImported("claims-a-text-for-a-flag", { own: 'breaksPatterns: "no",' }, /breaksPatterns/),
  notImported("claims-a-number-for-a-method", { own: "seam: 7," }, /seam/),
  {
    ...picker("prints-at-top-level", { atTop: 'console.log("hello");' }, { ...WELL, json: true }),
    command: race("prints-at-top-level.ts", "pick/uniform-8/prints-at-top-level/1w", "--json"),
  },
  picker(
    "rejects-unheard",
    { atTop: 'Promise.reject(new Error("nobody listens"));' },
    {
      exit: [1, 2],
      says: /rejects-unheard.*(nobody listens|exit|died)/,
      kept: "nothing",
    },
  ),
  picker("takes-the-channel", { atTop: 'process.removeAllListeners("message");' }, WELL),
  picker(
    "forges-an-answer",
    { atTop: 'process.send?.({ kind: "raced", crews: [], threads: 1, maxRssBytes: 1, pinned: true });' },
    { exit: 2, says: /forges-an-answer\.ts.*in the place of its process/ },
  ),
];

const examined: readonly Abuse[] = [
  notExamined("answers-zero", picking("return 0;"), /Uniform/),
  notExamined("answers-two", picking("return honestly() < 4 ? 0 : 7;"), /Uniform|never|backend/),
  notExamined("answers-out-of-range", picking("return honestly() + 1;"), /[Rr]ange/),
  notExamined("answers-nan", picking("honestly(); return Number.NaN;"), /NaN|index|[Rr]ange/),
  notExamined("hangs-in-pick", picking(FOREVER), SILENT),
  notExamined(
    "sleeps-in-pick",
    picking("Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);"),
    SILENT,
  ),
  ...["format", "attach", "inspect"].flatMap((method) => [
    notExamined(`throws-in-${method}`, { own: `${method}() { ${THROW} },` }, /out of luck/),
    notExamined(`exits-in-${method}`, { own: `${method}() { ${QUIT} },` }, GONE),
    notExamined(`dies-in-${method}`, { own: `${method}() { ${DIE} },` }, GONE),
  ]),
  notExamined("throws-in-pick", picking(THROW), /out of luck/),
  notExamined("exits-in-pick", picking(QUIT), GONE),
  notExamined("dies-in-pick", picking(DIE), GONE),
  {
    ...notExamined(
      "takes-all-memory",
      { own: "format() { const held = []; for (;;) held.push(new Array(1e5).fill(held.length)); }," },
      /memory|exit|died|SIGABRT/,
    ),
    env: { NODE_OPTIONS: "--max-old-space-size=200" },
  },
  notExamined(
    "ends-its-worker",
    {
      atTop: 'import { isMainThread, parentPort } from "node:worker_threads";',
      own: `attach(...given) { if (!isMainThread) parentPort.close(); ${QUIT} },`,
    },
    GONE,
  ),
  {
    name: "candidates/escapes-in-its-words",
    files: {
      "escapes.ts": planted({
        own: `summary: "\\u001b[2Jcleared", attach() { throw new Error("\\u001b]0;titled\\u0007 out of luck"); },`,
      }),
    },
    command: race("escapes.ts", "pick/uniform-8/escapes/1w"),
    promised: {
      exit: 1,
      says: /out of luck/,
      // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not reach a terminal.
      neverSays: /[\x1b\x07]/,
      kept: "nothing",
    },
  },
  {
    name: "candidates/loses-timers",
    files: {
      "loses-timers.ts": planted({
        like: "timers/competitors/hashed-wheel",
        own: `attach(...given) {
    const timers = honest.attach(...given);
    const advance = timers.advance.bind(timers);
    timers.advance = (...at) => Math.max(0, advance(...at) - 1);
    return timers;
  },`,
      }),
    },
    command: race("loses-timers.ts", "timers/refresh-10k/loses-timers/1w"),
    promised: { exit: 1, says: /loses-timers: \w+: /, kept: "nothing" },
  },
  {
    name: "candidates/does-not-lock",
    files: {
      "does-not-lock.ts": planted({
        like: "locks/competitors/test-and-set",
        own: "attach: () => ({ lock() {}, tryLock: () => true, unlock() {}, spins: 0, parks: 0 }),",
      }),
    },
    command: race("does-not-lock.ts", "locks/short-section/does-not-lock/2w"),
    promised: { exit: 1, says: /does-not-lock: \w+/, kept: "nothing" },
  },
];

const racing: readonly Abuse[] = [
  failsInRace("dies-in-the-race", DIE, /dies-in-the-race.*(SIGKILL|died)|(SIGKILL|died).*dies-in-the-race/s),
  failsInRace("hangs-in-the-race", FOREVER, /No number, hung: [^:]+:\s+hangs-in-the-race/),
  failsInRace("throws-in-the-race", THROW, /out of luck/),
  failsInRace("exits-in-the-race", QUIT, /exits-in-the-race.*exit|exit.*exits-in-the-race/s),
  failsInRace("answers-zero-in-the-race", "return 0;", /meanIsUniform/),
  {
    name: "candidates/one-of-two-dies-in-the-race",
    files: { "killer.ts": planted(pickingInRaces(DIE)), "victim.ts": planted({}) },
    command: [
      ...race("killer.ts", "pick/uniform-8/killer/1w", "--candidate", "victim.ts"),
      "pick/uniform-8/victim/1w",
    ],
    promised: { exit: 1, says: /killer/, kept: { groups: 1, interrupted: false } },
    afterwards: [
      { command: ["report", "$RECORD"], promised: { exit: 0, says: /^victim +[\d.]+ /m } },
      {
        command: ["report", "$RECORD"],
        promised: { exit: 0, says: /killer[^.]*(SIGKILL|died)|(SIGKILL|died)[^.]*killer/ },
      },
    ],
  },
  {
    name: "candidates/one-of-two-is-not-examined-well",
    files: { "liar.ts": planted(picking("return 0;")), "victim.ts": planted({}) },
    command: [
      ...race("liar.ts", "pick/uniform-8/liar/1w", "--candidate", "victim.ts"),
      "pick/uniform-8/victim/1w",
    ],
    promised: { exit: 1, says: /liar.*Uniform/, neverSays: /victim.*(broke|breaks)/ },
  },
  {
    ...picker(
      "prints-a-megabyte",
      { atTop: 'process.stdout.write("x".repeat(2 ** 20));' },
      { ...WELL, json: true },
    ),
    command: race("prints-a-megabyte.ts", "pick/uniform-8/prints-a-megabyte/1w", "--json"),
  },
  picker(
    "listens-to-signals",
    {
      atTop: 'for (const name of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(name, () => {});',
    },
    WELL,
  ),
  picker("keeps-a-timer", { atTop: "setInterval(() => {}, 1000);" }, WELL),
];

/** A file that cannot be a candidate, or can although its name does not look it. */
function named(name: string, files: Abuse["files"], file: string, promised: Promised): Abuse {
  return {
    name: `candidates/${name}`,
    ...(files === undefined ? {} : { files }),
    command: ["bench", "pick", "--candidate", file, "--out", "out"],
    promised,
  };
}

const files: readonly Abuse[] = [
  {
    ...named("in-javascript", { "plain.js": planted({}) }, "plain.js", {
      exit: [0, 2],
      neverSays: /lower case with hyphens/,
    }),
    command: race("plain.js", "pick/uniform-8/plain/1w"),
  },
  named("with-an-odd-name", { "Odd_Name.ts": planted({}) }, "Odd_Name.ts", { exit: 2, says: /Odd_Name\.ts/ }),
  named("with-spaces-in-its-name", { "my idea.ts": planted({}) }, "my idea.ts", {
    exit: 2,
    says: /my idea\.ts/,
  }),
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not reach a terminal.
  named("with-escapes-in-its-name", {}, "\x1b[2J.ts", { exit: 2, neverSays: /\x1b/ }),
  named("that-is-not-there", {}, "nowhere.ts", { exit: 2, says: /nowhere\.ts.*no such file/ }),
  named("that-is-a-folder", {}, "$FOLDER", { exit: 2, says: /work/ }),
  named("whose-name-is-taken", { "cas-ring.ts": planted({}) }, "cas-ring.ts", {
    exit: 2,
    says: /already has a competitor named cas-ring/,
  }),
  {
    ...named("given-twice", { "twice.ts": planted({}) }, "twice.ts", { exit: 2, says: /twice/ }),
    command: race("twice.ts", "pick/uniform-8/twice/1w", "--candidate", "twice.ts"),
  },
  {
    ...named("that-nobody-may-read", { "secret.ts": planted({}) }, "secret.ts", {
      exit: 2,
      says: /secret\.ts.*(EACCES|cannot be read)/,
    }),
    shell: 'chmod 0 secret.ts; "$@"',
    skip: () => (process.getuid?.() === 0 ? "root may read every file" : undefined),
  },
];

export const candidates: readonly Abuse[] = [...imported, ...examined, ...racing, ...files];
