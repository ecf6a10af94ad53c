import { planted, RACED } from "./planted.ts";
import { type Abuse, type Call, mistreat } from "./trial.ts";

/** Candidates that misbehave: while they are imported, while they are examined, and once they race. */

/** A picker whose handles do this instead of picking; `honestly()` picks. */
function picking(statements: string): string {
  return `attach(...given) {
    const handle = honest.attach(...given);
    const honestly = () => handle.pick();
    let left = ${PICKS_BEFORE_A_RACE};
    return { ...handle, pick() { ${statements} } };
  },`;
}

/** More picks than an examination asks of one handle, and fewer than a race does. */
const PICKS_BEFORE_A_RACE = 1_000_000;

const DIE = 'process.kill(process.pid, "SIGKILL");';
const QUIT = "process.exit(0);";
const THROW = 'throw new Error("out of luck");';
const FOREVER = "for (;;) {}";
const SLEEP = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);";

/** How a process that ended, or does not answer, is reported. */
const GONE = "(exit|died|SIGKILL|ended)";
const SILENT = "silent";
const UNLUCKY = "out of luck";

/** A quick race of the candidate `name` beside its baseline. */
function race(
  name: string,
  text: string,
  promised: Omit<Call, "line">,
  cell = `pick/uniform-8/${name}/1w`,
): Abuse {
  const options = `--candidate ${name}.ts --profile quick --budget 1s --out out`;
  return { name, line: `bench ${cell} ${options}`, files: { [`${name}.ts`]: text }, ...promised };
}

/** The same beside an honest candidate. */
function besideVictim(name: string, own: string, promised: Omit<Call, "line">): Abuse {
  const { line, files } = race(name, planted({ own }), promised);
  const beside = `${line} --candidate victim.ts pick/uniform-8/victim/1w`;
  return { name, line: beside, files: { ...files, "victim.ts": planted({}) }, ...promised };
}

/** Cannot be imported, which one line says behind the file's name. */
const imported = (name: string, text: string, says: string) =>
  race(name, text, { exit: 2, says: new RegExp(`${name}\\.ts.*${says}`) });

/** Breaks a law where it is examined, or dies of it. */
const examined = (name: string, own: string, says: string) =>
  race(name, planted({ own }), { exit: 1, says: new RegExp(`${name}: .*${says}`), kept: "nothing" });

/** Is honest as long as it is examined, and fails in the race: its row says so, and an honest one has a number. */
const raced = (name: string, statements: string, says: RegExp) =>
  besideVictim(name, picking(`if (--left < 0) { ${statements} } return honestly();`), {
    exit: 1,
    says,
    kept: RACED.kept,
    next: { line: "report out/*.json", exit: 0, says: /^victim +[\d.]+ /m },
  });

/** Disturbs its process, and races like others. */
const harmless = (name: string, atTop: string) => race(name, planted({ atTop }), RACED);

/** Breaks a law of another primitive. */
const ofOthers = (name: string, cell: string, like: string, own: string) =>
  race(name, planted({ like, own }), { exit: 1, says: new RegExp(`${name}: \\w+: `), kept: "nothing" }, cell);

const FORGED = 'process.send?.({ kind: "raced", crews: [], threads: 1 });';
const GREEDY = "format() { const all = []; for (;;) all.push(new Array(1e5).fill(all.length)); },";
const ESCAPES = `summary: "\\u001b[2Jout", attach() { throw new Error("\\u0007 out of luck"); },`;
const UNLOCKED = "attach: () => ({ lock() {}, tryLock: () => true, unlock() {}, spins: 0, parks: 0 }),";
const LOSSY = `attach(...given) {
    const timers = honest.attach(...given);
    const advance = timers.advance.bind(timers);
    return Object.assign(timers, { advance: (...at) => Math.max(0, advance(...at) - 1) });
  },`;
const DEAF = 'for (const name of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(name, () => {});';
const loud = harmless("prints", 'console.log("hello"); process.stdout.write("x".repeat(2 ** 20));');

mistreat("candidates", [
  imported("loops", planted({ atTop: FOREVER }), SILENT),
  imported("waits", planted({ atTop: "await new Promise(() => {});" }), SILENT),
  imported("exits", planted({ atTop: QUIT }), GONE),
  imported("syntax", "export default {\n  summary: 'unclosed',\n  pick(] {},\n};\n", "3:8"),
  imported("forges", planted({ atTop: FORGED }), "in the place of its process"),
  examined("answers-zero", picking("return 0;"), "Uniform"),
  examined("answers-nan", picking("honestly(); return Number.NaN;"), "(NaN|index|[Rr]ange)"),
  examined("hangs-in-pick", picking(FOREVER), SILENT),
  examined("sleeps-in-pick", picking(SLEEP), SILENT),
  examined("throws-in-pick", picking(THROW), UNLUCKY),
  examined("exits-in-pick", picking(QUIT), GONE),
  examined("dies-in-pick", picking(DIE), GONE),
  ...["format", "attach", "inspect"].flatMap((method) => [
    examined(`throws-in-${method}`, `${method}() { ${THROW} },`, UNLUCKY),
    examined(`exits-in-${method}`, `${method}() { ${QUIT} },`, GONE),
    examined(`dies-in-${method}`, `${method}() { ${DIE} },`, GONE),
  ]),
  examined("takes-all-memory", GREEDY, "(memory|SIGABRT)"),
  examined("has-escapes", ESCAPES, UNLUCKY),
  ofOthers("loses-timers", "timers/refresh-10k/loses-timers/1w", "timers/competitors/hashed-wheel", LOSSY),
  ofOthers("unlocked", "locks/short-section/unlocked/2w", "locks/competitors/test-and-set", UNLOCKED),
  raced("dies-in-the-race", DIE, /dies-in-the-race.*(SIGKILL|died)|(SIGKILL|died).*dies-in-the-race/s),
  raced("hangs-in-the-race", FOREVER, /No number, hung: [^:]+:\s+hangs-in-the-race/),
  raced("throws-in-the-race", THROW, /out of luck/),
  raced("exits-in-the-race", QUIT, /exits-in-the-race.*exit|exit.*exits-in-the-race/s),
  raced("answers-zero-in-the-race", "return 0;", /meanIsUniform/),
  besideVictim("liar", picking("return 0;"), { exit: 1, says: /liar.*Uniform/, neverSays: /victim.*broke/ }),
  harmless("takes-the-channel", 'process.removeAllListeners("message");'),
  harmless("hears-no-signal", DEAF),
  harmless("keeps-a-timer", "setInterval(() => {}, 1000);"),
  { ...loud, line: `report <(${loud.line} --json)`, exit: 0, says: /^prints\b/m },
  { name: "has escapes in its name", line: "bench pick --candidate $'\\x1b[2J.ts'", exit: 2, says: /\.ts/ },
  { name: "is a folder", line: 'bench pick --candidate "$PWD"', exit: 2, says: /work/ },
  {
    ...imported("secret", planted({}), "(EACCES|cannot be read)"),
    before: "chmod 0 secret.ts",
    skip: process.getuid?.() === 0 && "root may read every file",
  },
]);
