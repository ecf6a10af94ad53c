import assert from "node:assert/strict";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import type { CrewPlan, RemotePlan } from "../../engine/measure/plan/plan.ts";
import { REMOTE_CREWS } from "../../engine/measure/remote/orders.ts";
import { present } from "../../engine/words/present.ts";
import { carryOut, withCandidates } from "../carried-out.synthetic.ts";
import type { Request } from "../plan/asked.ts";
import { makePlan } from "../plan/make-plan.ts";
import { smokeRequest } from "../request.synthetic.ts";
import { StrippedModules } from "./stripped.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "hotpath-stripped-")));
after(() => rmSync(folder, { recursive: true }));

/** Writes a file, and the folders that it is in. */
function file(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const programs = mkdtempSync(join(folder, "programs-"));
const modules = () => new StrippedModules(programs);

/** The program of a group whose scenario is in this file. */
function programFor(path: string, made = modules()): string {
  return made.programFor({ moduleUrl: pathToFileURL(path).href, crews: [] });
}

/** What a thread that imports a module finds: its export `answer`, or why it cannot be imported. */
async function answerOf(path: string, program?: string): Promise<unknown> {
  const begin = program === undefined ? "" : `await import(${JSON.stringify(program)});`;
  const text = `import { parentPort } from "node:worker_threads";
    ${begin}
    const answer = import(${JSON.stringify(pathToFileURL(path).href)}).then(({ answer }) => answer, ({ message }) => message);
    parentPort.postMessage(await answer);`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(text)}`));
  const [answer] = await once(worker, "message");
  return answer;
}

describe("a module from a program", () => {
  before(() => file("package.json", '{ "type": "module" }'));

  it("is the text that its file had when the program was made, at the same address and place", async () => {
    const text = `type Never = { [key: string]: never };
      import { basename } from "node:path";
      const place = (error: Error) => error.stack!.split("\\n")[1]!.trim();
      export const answer: unknown = [import.meta.url, basename(import.meta.filename), place(new Error("any"))];`;
    const path = file("placed.ts", text);
    const plain = await answerOf(path);
    const { href } = pathToFileURL(path);
    assert.deepEqual(plain, [href, "placed.ts", `at ${href}:4:94`]);
    const program = programFor(path);
    writeFileSync(path, 'export const answer = "later";');
    assert.deepEqual(await answerOf(path, program), plain);
  });

  it("exists once, in whatever way it is imported", async () => {
    const state = file("state.ts", "export const state: { count: number } = { count: 0 };");
    file("linked-to/counts.ts", 'import { state } from "../state.ts"; state.count++;');
    symlinkSync(join(folder, "linked-to"), join(folder, "link"));
    const path = file(
      "once.ts",
      `import "./link/counts.ts";
      import "./linked-to/counts.ts";
      import { state } from ${JSON.stringify(pathToFileURL(state).href)};
      const computed = new URL("./state.ts", import.meta.url).href;
      const others = [await import("./state.ts"), await import(computed), await import(${JSON.stringify(state)})];
      export const answer = [state.count, ...others.map((other) => other.state === state)];`,
    );
    for (const program of [undefined, programFor(path)])
      assert.deepEqual(await answerOf(path, program), [1, true, true, true]);
  });

  it("is imported only by modules that ask for it", async () => {
    const loud = file("loud.ts", 'Object.assign(globalThis, { loud: true }); export const answer = "loud";');
    const path = file("calm.ts", 'export const answer = "loud" in globalThis;');
    const moduleUrl = pathToFileURL(path).href;
    const crews = [{ ...crew, name: "loud", url: pathToFileURL(loud).href }];
    const program = modules().programFor({ moduleUrl, crews });
    assert.equal(await answerOf(loud, program), "loud");
    assert.equal(await answerOf(path, program), false);
  });

  it("may be imported again from its file, by an address with a query", async () => {
    const path = file(
      "again.ts",
      `export const answer = import.meta.url.endsWith("?again") || (await import(import.meta.url + "?again")).answer;`,
    );
    assert.equal(await answerOf(path, programFor(path)), true);
  });
});

const crew = { kind: "rival", workers: 1, placement: "arena" } as const;

describe("what is left to Node is what it was", () => {
  const same = async (path: string, expected: unknown) => {
    assert.deepEqual(await answerOf(path), expected);
    assert.deepEqual(await answerOf(path, programFor(path)), expected);
  };

  it("packages, including the ones of the candidate's own folder, and CommonJS", async () => {
    file("own/node_modules/pack/package.json", '{ "name": "pack", "main": "main.js" }');
    file("own/node_modules/pack/main.js", "exports.required = typeof require;");
    file("own/common.cjs", "module.exports = { common: __filename.slice(-10) };");
    const path = file(
      "own/candidate.ts",
      `import pack, { required } from "pack";
      import common from "./common.cjs";
      import { helper } from "./parts/helper.ts";
      export const answer: unknown[] = [pack.required, required, common.common, helper];`,
    );
    file("own/parts/helper.ts", 'export const helper: string = "helped";');
    await same(path, ["function", "function", "common.cjs", "helped"]);
  });

  it("a file that no package says the kind of", async () => {
    const free = mkdtempSync(join(tmpdir(), "hotpath-free-"));
    try {
      const common = join(free, "common.ts");
      writeFileSync(common, "const answer: string = typeof require; module.exports = { answer };");
      await same(common, "function");
      const path = join(free, "module.ts");
      writeFileSync(path, "const now: string = typeof require; export const answer = now;");
      await same(path, "undefined");
      const program = programFor(path);
      rmSync(path);
      assert.equal(await answerOf(path, program), "undefined");
    } finally {
      rmSync(free, { recursive: true });
    }
  });

  it("the reason why a module cannot be imported", async () => {
    const absent = /^Cannot find module '\S+nowhere.ts' imported from \S+absent.ts$/;
    const reasons: readonly [name: string, text: string, reason: RegExp][] = [
      ["syntax.ts", "export const answer = { a: = 1 };", /^Expression expected$/],
      ["enumeration.ts", "enum Sort { some }; export const answer = Sort.some;", /enum is not supported/],
      ["absent.ts", 'import "./nowhere.ts";', absent],
      [
        "nameless.ts",
        'import { none } from "./state.ts"; none();',
        /does not provide an export named 'none'/,
      ],
      ["throws.ts", 'throw new Error("no way");', /^no way$/],
      ["package.ts", 'import "no-such-package";', /^Cannot find package 'no-such-package' imported from/],
    ];
    for (const [name, text, reason] of reasons) {
      const path = file(name, text);
      const plain = await answerOf(path);
      assert.match(String(plain), reason);
      assert.equal(await answerOf(path, programFor(path)), plain);
    }
  });
});

describe("a race", () => {
  let request: Request;
  before(async () => {
    file("package.json", '{ "type": "module" }');
    request = await smokeRequest({ workers: [2] });
  });
  /** Candidates by path, beside rivals of the lab by name. */
  const asked = (paths: readonly string[], rivals: readonly string[] = []) =>
    withCandidates(request, paths, rivals);

  it("needs no file any more once its program is made, and leaves nothing behind", async () => {
    const path = candidate("gone");
    const group = await raced(asked([path], ["wasm-cas-ring", "npm-pure-rand"]), {
      begin: () => rmSync(path, { force: true }),
    });
    assert.deepEqual(group, { failures: {}, reasons: [], atBegin: 1, atEnd: 0 });
  });

  it("leaves nothing behind where it is stopped", async () => {
    const stop = new AbortController();
    const stopped = { begin: () => stop.abort(), signal: stop.signal };
    const group = await raced(asked([candidate("stopped")]), stopped);
    assert.deepEqual(group, { failures: undefined, reasons: [], atBegin: 1, atEnd: 0 });
  });

  it("goes on from the files where no program can be written, and says why", async () => {
    const place = join(folder, "nowhere");
    const { failures, reasons } = await raced(asked([candidate("plain")]), { place });
    assert.deepEqual(failures, {});
    assert.match(
      reasons.join(),
      /^pick\/uniform-8 2w: no temporary folder can be made in .*nowhere \(ENOENT\): set TMPDIR /,
    );
  });

  it("has a competitor of another checkout allocate where the others do", async () => {
    const structures = new URL("../../../structures/", import.meta.url);
    cpSync(structures, join(folder, "checkout/structures"), { recursive: true });
    file("checkout/package.json", '{ "type": "module" }');
    // Beside the arena everything is small.
    const text = `import { allocateRegion } from "../../shared/layout.ts";
      import honest from "./per-worker-random.ts";
      const isInArena = () => allocateRegion(1).buffer.byteLength >= 2 ** 28;
      export default { ...honest,
        format(...asked: Parameters<typeof honest.format>) { if (!isInArena()) throw new Error("formatted apart"); honest.format(...asked); },
        attach(...asked: Parameters<typeof honest.attach>) { if (!isInArena()) throw new Error("attached apart"); return honest.attach(...asked); },
      };`;
    const path = file("checkout/structures/pick/competitors/elsewhere.ts", text);
    assert.deepEqual((await raced(asked([path]))).failures, {});
  });

  it("leaves a crew in a process of its own to the files", async () => {
    const both = candidate("both");
    const text = 'export { default } from "./both.ts";';
    const start = { file: process.execPath, args: [] };
    const remote = { name: "other", runtime: "other", start, module: REMOTE_CREWS };
    const { failures } = await raced(asked([file("own.ts", text), file("remote.ts", text)]), {
      begin: () => rmSync(both, { force: true }),
      remoteOf: ({ name }) => (name === "remote" ? remote : undefined),
    });
    assert.deepEqual(Object.keys(failures!), ["remote"]);
    assert.match(failures!.remote!, /^worker [01]: Cannot find module/);
  });

  it("has the same reasons why a competitor has no number", async () => {
    const mainThread = 'import { isMainThread } from "node:worker_threads"; if (isMainThread)';
    const cases: readonly [name: string, text: string, reason: RegExp][] = [
      ["unparsed", "export default { a: = 1 };", /^worker [01]: Expression expected$/],
      [
        "alone",
        'import "./nowhere.ts";',
        /^worker [01]: Cannot find module '\S+nowhere.ts' imported from \S+alone.ts$/,
      ],
      ["thrower", 'throw new Error("no way");', /^worker [01]: no way$/],
      [
        "threads-only",
        `${mainThread} throw new Error("no thread");`,
        /^it threw while it was imported: no thread$/,
      ],
    ];
    const { failures, reasons } = await raced(asked(cases.map(([name, text]) => file(`${name}.ts`, text))));
    assert.deepEqual(reasons, []);
    for (const [name, , reason] of cases) assert.match(failures![name]!, reason);
  });
});

/** An honest one, in a file of its own. */
function candidate(name: string): string {
  const honest = new URL("../../../structures/pick/competitors/cas-ring.ts", import.meta.url);
  return file(`${name}.ts`, `export { default } from ${JSON.stringify(honest)};`);
}

interface How {
  /** Where temporary folders are made. */
  readonly place?: string;
  readonly begin?: () => void;
  readonly signal?: AbortSignal;
  readonly remoteOf?: (crew: CrewPlan) => RemotePlan | undefined;
}

/**
 * Failures by competitor, undefined where the run was stopped before its end; why it raced from the files; and temporary
 * folders when the first fork began and when the run had ended.
 */
async function raced(request: Request, { place, begin, signal, remoteOf = () => undefined }: How = {}) {
  const where = place ?? mkdtempSync(join(folder, "place-"));
  const plan = makePlan(request);
  const withRemote = plan.groups.map((group) => ({
    ...group,
    crews: group.crews.map((crew) => {
      const remote = remoteOf(crew);
      return remote === undefined ? crew : { ...crew, remote };
    }),
  }));
  const folders = () => (existsSync(where) ? readdirSync(where).length : 0);
  let atBegin: number | undefined;
  const told = {
    progress() {
      atBegin ??= folders();
      begin?.();
    },
  };
  const { TMPDIR } = process.env;
  process.env.TMPDIR = where;
  try {
    const carried = { told, ...present({ signal }) };
    const { groups, unstripped: reasons } = await carryOut({ ...plan, groups: withRemote }, carried);
    const failed = groups[0]?.forks.flatMap(({ crews }) =>
      crews.flatMap(({ name, failure }) => (failure === undefined ? [] : [[name, failure.reason] as const])),
    );
    return { failures: failed && Object.fromEntries(failed), reasons, atBegin, atEnd: folders() };
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
}
