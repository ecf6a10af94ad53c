import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { before, describe, it } from "node:test";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import { build as esbuild } from "esbuild";
import { rollup } from "rollup";
import { createLogger, build as vite } from "vite";
import webpack from "webpack";
import { competitorsOf, contractOf, loadCompetitor, primitives } from "../../structures/catalog.ts";
import { LAB_RUNTIMES, notInstalled, OTHER_RUNTIMES, startOf } from "../../suites/lab/runtimes/runtimes.ts";
import { doors, packageExports } from "../../suites/lab/store/manifest.ts";
import {
  assertLinksHold,
  assertNames,
  assertVersionIsDescribed,
  FOR_RUNTIMES,
  ForeignFolder,
  IN_WORKFLOW,
  linksOf,
  packed,
  ROOT,
  run,
  scratchFolder,
  unpack,
} from "./foreign.trials.ts";

/** Of a packed file, in bytes. */
const MOST_PACKED = 450_000;

/** Of the package's README, which shows code for each door; and of a first use there, blank ones aside. */
const MOST_LINES = 340;
const MOST_LINES_OF_USE = 10;

const MANIFEST = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, string | null>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
};

/** All that a program with the lab's package needs besides: the Interner takes it. */
const PACKAGES = ["ipaddr.js"];
/** What a program has itself, where it uses the doors that need it, and leaves out of its bundle. */
const PEERS = Object.keys(MANIFEST.peerDependencies);
/** What only the type check of a program needs. */
const TYPES = ["@types/node", "undici-types"];

/** The package's README. */
const PAGE = "examples/README.md";

const EXAMPLES = globSync("structures/*/*.example.ts", { cwd: ROOT });

/** The packages beside this one that an example imports, and their types where these are a package of their own. */
function besides(example: string): string[] {
  const imported = /\bfrom "((?:@[^/"]+\/)?[^./"][^/":]*)(?:\/[^"]*)?"/g;
  const names = [...readFileSync(join(ROOT, example), "utf8").matchAll(imported)]
    .map(([, name]) => name!)
    .filter((name) => name !== "hotpath-lab");
  return [...names, ...names.map((name) => `@types/${name}`)].filter((name) =>
    existsSync(join(ROOT, "node_modules", name)),
  );
}

/** What makes the package of what the compiler leaves in dist. */
const BUILDING = ["scripts/finish-build.cjs", "scripts/repository.cjs"];

/** Holds a copy of the sources, the packed file, and a folder that has the package and what it needs. */
const scratch = scratchFolder();
let foreign: ForeignFolder;
let installed: string;
/** Of the packed file. */
let packedBytes: number;

/** Every competitor that is not another package's: the module it would be, and whether it is one. */
const COMPETITORS = await Promise.all(
  primitives().flatMap((primitive) =>
    competitorsOf(primitive)
      .filter(({ name }) => !name.startsWith("npm-"))
      .map(async ({ name, url }) => {
        const contract = await contractOf(primitive);
        const { lowerBound = false } = await loadCompetitor(url, contract);
        return {
          module: `hotpath-lab/${primitive}/${name}`,
          isExported: !lowerBound && name !== contract.oracle,
        };
      }),
  ),
);

/** What a program can import: no floor, and no oracle. */
function competitorModules(): string[] {
  return COMPETITORS.filter(({ isExported }) => isExported).map(({ module }) => module);
}

/** Imports every competitor, and prints the names of the ones that loaded. */
function loading(): string {
  return `for (const name of ${JSON.stringify(competitorModules())}) {
    const { default: competitor } = await import(name);
    if (typeof competitor.summary === "string") console.log(name);
  }`;
}

/** What `loading` prints where all came. */
function loaded(): string {
  return competitorModules()
    .map((name) => `${name}\n`)
    .join("");
}

/** A program with doors of many primitives, and the code of all that are made of WebAssembly. */
const USING = `import { attachLock, attachSlots, makeLock, makePicker, makeSlots, picker, withLock } from "hotpath-lab";
import wasmRingOfSlots from "hotpath-lab/dispatch/wasm-ring-of-slots";
import { randomWords } from "hotpath-lab/draws";
import lemire from "hotpath-lab/draws/lemire";
import { attachBuckets, expressStore, makeBuckets } from "hotpath-lab/limits";
import wasmTicket from "hotpath-lab/locks/wasm-ticket";
import { privateOwnership } from "hotpath-lab/ownership";
import wasmSeqlockSlots from "hotpath-lab/ownership/wasm-seqlock-slots";
import wasmRoundRobin from "hotpath-lab/pick/wasm-round-robin";
import { attachConsumer, attachProducer, createQueue } from "hotpath-lab/queue";
import sharedTicket from "hotpath-lab/slots/shared-ticket";
import { Timeouts, privateTimers } from "hotpath-lab/timers";
import hashedWheel from "hotpath-lab/timers/hashed-wheel";
import { attachWatchdog, makeWatchdog, watchdogText } from "hotpath-lab/watchdog";

console.log("picked", picker(wasmRoundRobin, 1).pick());
const lock = attachLock(wasmTicket, makeLock(wasmTicket, 1), 0);
console.log("locked", withLock(lock, () => !lock.tryLock()));
const places = makeSlots(sharedTicket, { slots: 1, workers: 1 });
console.log("slot", attachSlots(sharedTicket, places, 0).take());
const capacity = { resources: 1, owners: 1, windowMs: 10, ranges: 1 };
console.log("owner", privateOwnership(wasmSeqlockSlots, capacity, 0).ownerAt(0, 5));
console.log("moved", privateTimers(hashedWheel, 1).refresh(1, 5));
const clients = wasmRingOfSlots.create(1, 60, 0);
clients.enter(0, 1);
console.log("due", clients.take(1));
console.log("drawn", lemire.attach(randomWords(1), 1).draw());
const buckets = makeBuckets({ capacity: 1, perSecond: 1e-3, keys: 9 });
console.log("hits", expressStore(buckets).increment("a").totalHits, attachBuckets(buckets).tryTake("a"));
const queue = createQueue({ words: 1, capacity: 8 });
attachProducer(queue, 0).trySend(Int32Array.of(7));
console.log("received", attachConsumer(queue, 0).tryReceive()[0]);
const watchdog = makeWatchdog({ loops: 1 });
attachWatchdog(watchdog, 0).stop();
console.log(watchdogText(watchdog).split("\\n")[2]);
new Timeouts(hashedWheel, 1).set(() => console.log("fired"), 1);
`;
const USING_PRINTS =
  'picked 0\nlocked true\nslot 0\nowner -1\nmoved false\ndue 0\ndrawn 0\nhits 1 false\nreceived 7\nevent_loop_hung_seconds{loop="0"} 0\nfired\n';

before(() => {
  // A copy has no dist, so nothing that an older build left behind can be packed. It also leaves
  // alone the dist that others may be using.
  const lab = join(scratch, "lab");
  cpSync(join(ROOT, "structures"), join(lab, "structures"), { recursive: true });
  cpSync(join(ROOT, "examples"), join(lab, "examples"), { recursive: true });
  for (const folder of ["scripts", "results"]) mkdirSync(join(lab, folder));
  const sources = ["package.json", "tsconfig.json", "tsconfig.build.json", ...BUILDING];
  for (const file of [...sources, "LICENSE", "CHANGELOG.md", "SECURITY.md", "results/choices.md"])
    copyFileSync(join(ROOT, file), join(lab, file));
  symlinkSync(join(ROOT, "node_modules"), join(lab, "node_modules"));
  const { GITHUB_REPOSITORY: _, ...env } = process.env;
  run("npm", ["run", "--silent", "package"], lab, env);
  const file = packed("hotpath-lab", ["pack", "./dist"], lab, scratch);
  packedBytes = statSync(file).size;
  const besidesExamples = [...EXAMPLES, "examples/timers.md"].flatMap(besides);
  const needed = new Set([...PACKAGES, ...TYPES, ...PEERS, ...besidesExamples]);
  foreign = new ForeignFolder(join(scratch, "foreign"), needed);
  installed = join(foreign.path, "node_modules", "hotpath-lab");
  unpack(file, installed);
});

describe("the package", () => {
  it("holds its build, its description and its licence, and nothing that tests or races competitors", () => {
    const files = readdirSync(installed, { recursive: true, encoding: "utf8" });
    for (const file of ["CHANGELOG.md", "LICENSE", "README.md", "package.json"])
      assert.ok(files.includes(file), file);
    const unwanted = /\.(test|laws|examination|model|mutants|simulation|example|map)\b|\/npm-|[^d]\.ts$/;
    assert.deepEqual(
      files.filter((name) => !name.startsWith("examples") && unwanted.test(name)),
      [],
    );
    for (const example of EXAMPLES)
      assert.equal(
        readFileSync(join(installed, "examples", basename(example)), "utf8"),
        readFileSync(join(ROOT, example), "utf8"),
      );
  });

  it("has pages whose links lead to what it holds", () => {
    const pages = globSync("**/*.md", { cwd: installed });
    for (const page of ["README.md", "SECURITY.md", "examples/pickers.md"])
      assert.ok(pages.includes(page), page);
    const links = pages.flatMap((page) =>
      linksOf(join(installed, page)).map((link) => (/^https:/.test(link) ? link : join(dirname(page), link))),
    );
    for (const link of links) assert.ok(/^https:/.test(link) || existsSync(join(installed, link)), link);
    for (const example of EXAMPLES) assert.ok(links.includes(join("examples", basename(example))), example);
  });

  it("is small, and says in its types what it leaves out of its code", () => {
    assert.ok(packedBytes < MOST_PACKED, `${packedBytes} bytes`);
    const [code, types] = ["js", "d.ts"].map((ending) =>
      readFileSync(join(installed, `pick/competitors/two-choices.${ending}`), "utf8"),
    );
    assert.doesNotMatch(code!, /^ \* |sourceMappingURL/m);
    assert.match(types!, /^ \* Promise: requests in flight are counted exactly\./m);
  });

  it("is packed from its build alone", () => {
    const refused = spawnSync("npm", ["pack", "--logs-max=0"], { cwd: ROOT, encoding: "utf8" });
    assert.notEqual(refused.status, 0);
    assert.match(refused.stderr, /^the package is in dist: npm pack \.\/dist$/m);
  });

  it("runs no script where it is installed, and may be published, from the workflow alone", () => {
    const { publishConfig, ...manifest } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    assert.ok(!("scripts" in manifest));
    assert.ok(!("private" in manifest));
    assert.deepEqual(publishConfig, { access: "public", provenance: true });
    for (const field of ["description", "keywords", "license", "engines", "sideEffects"])
      assert.ok(field in manifest, field);
    assertVersionIsDescribed(installed);
  });

  it("names the repository that it is published from, whichever that is, and its pages' links lead there", () => {
    const lab = join(scratch, "lab");
    const env = { ...process.env, ...IN_WORKFLOW };
    run(process.execPath, ["scripts/finish-build.cjs"], lab, env);
    assertNames(join(lab, "dist"), "examples");
    const links = globSync("dist/**/*.md", { cwd: lab }).flatMap((page) => assertLinksHold(join(lab, page)));
    for (const file of [...EXAMPLES, "results/README.md"]) assert.ok(links.includes(file), file);
  });

  it("lists what there is, with what to import", () => {
    const listing = `import { primitives } from "hotpath-lab";
    for (const { module, question, competitors } of Object.values(primitives)) {
      if (!question.endsWith("?") || !(await import(module))) console.log(module);
      for (const { name, module, summary, source, progress } of competitors) {
        const { default: competitor } = await import(module);
        if (module.endsWith("/" + name) && competitor.summary === summary && competitor.source === source && competitor.progress === progress)
          console.log(module);
      }
    }`;
    assert.equal(foreign.output("listing.js", listing), loaded());
  });

  it("exports each door, each primitive's competitors and none of its other files", () => {
    assert.deepEqual(MANIFEST.exports, packageExports(), "stale: npm run report makes them again");
    const names = doors().map(({ name }) => name);
    assert.deepEqual(names, [...new Set(names)]);
    const packed = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")).exports;
    const built = Object.entries(MANIFEST.exports).map(([door, file]) => [door, file!.replace("dist/", "")]);
    assert.deepEqual(
      Object.entries(packed).filter(([, file]) => file !== null),
      built,
    );
    assert.throws(
      () => foreign.output("inside.js", 'import "hotpath-lab/pick/pick.instance";'),
      /ERR_MODULE_NOT_FOUND/,
    );
  });

  it("has no floor and no oracle", () => {
    const withheld = COMPETITORS.filter(({ isExported }) => !isExported).map(({ module }) => module);
    for (const module of ["hotpath-lab/pick/no-op", "hotpath-lab/locks/test-and-set"])
      assert.ok(withheld.includes(module), module);
    const importing = `for (const name of ${JSON.stringify(withheld)})
      await import(name).then(() => console.log(name), ({ code }) => console.log(code));`;
    assert.equal(
      foreign.output("withheld.js", importing),
      "ERR_PACKAGE_PATH_NOT_EXPORTED\n".repeat(withheld.length),
    );
  });

  it("has every competitor that is not another package's, and needs no package but the ones it says", () => {
    assert.deepEqual(Object.keys(MANIFEST.dependencies).sort(), PACKAGES);
    // A program that imports the door that needs one has it.
    for (const peer of PEERS) assert.deepEqual(MANIFEST.peerDependenciesMeta[peer], { optional: true });
    assert.equal(foreign.output("all.js", loading()), loaded());
  });

  it("has the code of the competitors in WebAssembly, and starts the thread that one leaves work to", () => {
    const starting = `import { attachPicker, makePicker, startBackground } from "hotpath-lab/pick";
    import reshuffle from "hotpath-lab/pick/background-reshuffle";
    const instance = makePicker(reshuffle, { backends: 1, workers: 1 });
    const end = await startBackground(reshuffle, instance);
    console.log(attachPicker(reshuffle, instance, 0).pick());
    await end();`;
    assert.equal(foreign.output("starting.js", starting), "0\n");
    assert.equal(foreign.output("using.js", USING), USING_PRINTS);
  });

  // No such TypeScript is installed here: by hand 5.4, 5.6, 5.9 and 6.0 read all of it, and only this was in their way.
  it("declares nothing that TypeScript 5.4 cannot read", () => {
    const later = readdirSync(installed, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".d.ts"))
      .filter((name) =>
        /Array<(Shared)?ArrayBuffer(Like)?>/.test(readFileSync(join(installed, name), "utf8")),
      );
    assert.deepEqual(
      later,
      [],
      "typed arrays take a type argument from 5.7 on: let declared types have none",
    );
  });

  it("is for CommonJS programs, too", () => {
    const picking = `const { attachPicker, makePicker } = require("hotpath-lab/pick");
    const { default: random } = require("hotpath-lab/pick/per-worker-random");
    const instance = makePicker(random, { backends: 1, workers: 1, seed: 1, firstTicket: 0 });
    console.log(attachPicker(random, instance, 0).pick());`;
    assert.equal(foreign.output("picking.cjs", picking), "0\n");
  });

  // By hand, with rollup's CommonJS plugin, and with TypeScript 5.8, 5.9 and 6.0: 5.8 and 5.9 need nodenext.
  for (const module of ["commonjs", "nodenext"]) {
    it(`is for programs that TypeScript compiles to CommonJS as ${module}`, () => {
      const picking = `import { attachPicker, makePicker } from "hotpath-lab/pick";
      import random from "hotpath-lab/pick/per-worker-random";
      console.log(attachPicker(random, makePicker(random, { backends: 1, workers: 1 }), 0).pick());`;
      foreign.write("compiled.cts", picking);
      foreign.compile(["compiled.cts"], "--module", module, "--target", "es2022");
      assert.match(readFileSync(join(foreign.path, "compiled.cjs"), "utf8"), /require\("hotpath-lab/);
      assert.equal(run(process.execPath, ["compiled.cjs"], foreign.path), "0\n");
    });
  }
});

/** The one thing that a bundle cannot do. */
const NO_THREAD =
  "the thread beside the workers begins with a file of hotpath-lab, and a bundle has none: make hotpath-lab external in your bundler";
/** The rejection is heard before the first timer fires. */
const BUNDLED_PRINTS = USING_PRINTS.replace("fired\n", `${NO_THREAD}\nfired\n`);

/** Every competitor, so that none stands in a bundler's way, and what of the package cannot be bundled. */
function bundledProgram(): string {
  const modules = competitorModules();
  return `${modules.map((name, index) => `import m${index} from "${name}";`).join("\n")}
import { startBackground } from "hotpath-lab/pick";
import reshuffle from "hotpath-lab/pick/background-reshuffle";
${USING}
for (const { summary } of [${modules.map((_, index) => `m${index}`)}])
  if (typeof summary !== "string") console.log("a competitor is lost");
const instance = makePicker(reshuffle, { backends: 1, workers: 1 });
startBackground(reshuffle, instance).catch(({ message }) => console.log(message));
`;
}

/**
 * Each makes one file of the foreign folder, as for production, out of another and all that it imports. What it warns of
 * comes back.
 */
const BUNDLERS: Readonly<Record<string, (entry: string, file: string) => Promise<readonly unknown[]>>> = {
  "esbuild, to a module": (entry, file) => byEsbuild(entry, file, "esm"),

  "esbuild, to CommonJS": (entry, file) => byEsbuild(entry, file, "cjs"),

  async rollup(entry, file) {
    const warnings: unknown[] = [];
    const onwarn = (warning: unknown) => warnings.push(warning);
    // It reads no CommonJS, which one of the packages is.
    const external = [/^node:/, ...PACKAGES, ...PEERS];
    const bundle = await rollup({ input: entry, external, onwarn, plugins: [nodeResolve()] });
    await bundle.write({ file, format: "es" });
    return warnings;
  },

  async vite(entry, file) {
    const warnings: unknown[] = [];
    const warn = (message: string) => void warnings.push(message);
    await vite({
      root: foreign.path,
      configFile: false,
      customLogger: { ...createLogger("error"), warn, warnOnce: warn },
      ssr: { noExternal: true },
      build: {
        ssr: entry,
        outDir: dirname(file),
        emptyOutDir: false,
        minify: true,
        rolldownOptions: { external: PEERS, output: { entryFileNames: basename(file) } },
      },
    });
    return warnings;
  },

  async "webpack, to CommonJS"(entry, file) {
    const output = { path: dirname(file), filename: basename(file) };
    const externals = Object.fromEntries(PEERS.map((name) => [name, `commonjs ${name}`]));
    const compiler = webpack({
      ...{ mode: "production", target: "node", context: foreign.path },
      ...{ entry, output, externals },
    });
    const { errors, warnings } = (await promisify(compiler.run.bind(compiler))())!.compilation;
    return [...errors, ...warnings];
  },
};

async function byEsbuild(entry: string, outfile: string, format: "esm" | "cjs"): Promise<readonly unknown[]> {
  const output = { outfile, format, platform: "node" } as const;
  const what = { entryPoints: [entry], bundle: true, external: [...PEERS] };
  const { warnings } = await esbuild({ ...what, minify: true, ...output });
  return warnings;
}

describe("a bundle of the package", () => {
  before(() => foreign.write("bundled.js", bundledProgram()));

  for (const [name, bundled] of Object.entries(BUNDLERS)) {
    it(`made by ${name}, does what the package does, or reports in one line what it cannot do`, async () => {
      const extension = /CommonJS/.test(name) ? "cjs" : "mjs";
      const file = join(foreign.path, "bundles", `${name.replaceAll(/\W+/g, "-")}.${extension}`);
      assert.deepEqual(await bundled(join(foreign.path, "bundled.js"), file), []);
      // A bundle runs where the package is not.
      const away = `${installed}-away`;
      renameSync(installed, away);
      try {
        assert.equal(run(process.execPath, [file], foreign.path), BUNDLED_PRINTS);
      } finally {
        renameSync(away, installed);
      }
    });
  }
});

/**
 * Gzipped, in bytes. What stands between a program and undici knows two interfaces of handlers, tells whose fault is whose,
 * starts new servers slowly, and brings rendezvous for picks by key.
 */
const MOST_BUNDLED = 8192;
const MOST_BUNDLED_OF_UPSTREAMS = 12_000;

describe("a bundle of a worked example", () => {
  for (const example of EXAMPLES) {
    it(`${basename(example)} is small, but for other packages`, async () => {
      const { outputFiles } = await esbuild({
        stdin: { contents: exampleOf(example).text, loader: "ts", resolveDir: foreign.path },
        external: [...PACKAGES, ...PEERS, ...besides(example)],
        ...{ bundle: true, minify: true, write: false, format: "esm", platform: "node" },
      });
      const bytes = gzipSync(outputFiles[0]!.contents).length;
      const most = example.includes("/upstreams/") ? MOST_BUNDLED_OF_UPSTREAMS : MOST_BUNDLED;
      assert.ok(bytes <= most, `${bytes} bytes, at most ${most}`);
    });
  }
});

/** A worked example and what it says that it prints. */
function exampleOf(file: string): { readonly text: string; readonly prints: string } {
  const text = readFileSync(join(ROOT, file), "utf8");
  const [, said] = /It prints:\n \*\n((?: \* {5}.*\n)+) \*\/\n/.exec(text) ?? assert.fail(file);
  return { text, prints: said!.replaceAll(/^ \* {5}/gm, "") };
}

/** Writes what is to be type-checked: every example, every export, and what the types must refuse. Returns their names. */
function writePrograms(): string[] {
  for (const example of EXAMPLES) foreign.write(basename(example), exampleOf(example).text);
  foreign.write(
    "all.ts",
    ["hotpath-lab", ...doors().map(({ name }) => `hotpath-lab/${name}`), ...competitorModules()]
      .map((name, index) => `export * as m${index} from "${name}";`)
      .join("\n"),
  );
  foreign.write(
    "wrong.ts",
    `import { attachPicker, makePicker } from "hotpath-lab/pick";
import casRing from "hotpath-lab/pick/cas-ring";
const instance = makePicker(casRing, { backends: 8, workers: 1, seed: 1, firstTicket: 0 });
// @ts-expect-error: a backend is a number, which would pass unnoticed if the types had become \`any\`.
export const backend: string = attachPicker(casRing, instance, 0).pick();
`,
  );
  foreign.write(
    "in-place.ts",
    `import * as node from "node:timers";
import * as promises from "node:timers/promises";
import { promisify } from "node:util";
import { NodeTimers } from "hotpath-lab/timers";
import hashedWheel from "hotpath-lab/timers/hashed-wheel";
type InPlace = "setTimeout" | "setInterval" | "clearTimeout" | "clearInterval";
const timers = new NodeTimers(hashedWheel);
export const ofGlobals: Pick<typeof globalThis, InPlace> = timers;
export const ofModule: Pick<typeof node, InPlace> = timers;
export const ofPromises: Pick<typeof promises, "setTimeout" | "setInterval"> = timers.promises;
export const timeout: NodeJS.Timeout = timers.setTimeout((text: string) => text.length, 1, "text");
export const waiting: Promise<string> = promisify(timers.setTimeout)(1, "value");
export const resolved: Promise<void> = new Promise((resolve) => timers.setTimeout(resolve, 1));
timers.clearTimeout(node.setTimeout(() => {}, 1));
// @ts-expect-error: a timer is no text, which would pass unnoticed if the types had become \`any\`.
export const text: string = timers.setTimeout(() => {}, 1);
`,
  );
  return [...EXAMPLES.map((example) => basename(example)), "all.ts", "wrong.ts", "in-place.ts"];
}

describe("a worked example", () => {
  it("is there for each primitive", () => {
    for (const primitive of primitives())
      assert.ok(EXAMPLES.includes(join("structures", primitive, `${primitive}.example.ts`)), primitive);
  });

  for (const example of EXAMPLES) {
    it(`${basename(example)}: prints with the package in a foreign folder what it says`, () => {
      const { text, prints } = exampleOf(example);
      assert.equal(foreign.output(basename(example), text), prints);
    });
  }

  it("holds to the package's types, strictly, with the browser's globals and without", () => {
    writePrograms();
    for (const lib of [["es2024", "dom"], ["es2024"]])
      foreign.assertStrict(["*.ts"], { target: "es2024", lib, module: "nodenext", types: ["node"] });
  });
});

// npm run runtimes installs them.
for (const runtime of OTHER_RUNTIMES) {
  const start = startOf(runtime);
  const skip = start === undefined ? notInstalled(runtime) : false;
  describe(`with the package in a foreign folder, ${runtime}`, { skip }, () => {
    it("loads every competitor that is not another package's", () => {
      assert.equal(foreign.output("all.js", loading(), start), loaded());
    });

    it("has doors that do what they do in Node", () => {
      assert.equal(foreign.output("using.js", USING, start), USING_PRINTS);
    });

    for (const example of EXAMPLES) {
      // It puts a module of its own in the place of undici.
      const isOfUndici = besides(example).includes("undici");
      const none = runtime === "bun" && isOfUndici && "Bun has no dispatchers in its undici";
      it(`prints for ${basename(example)} what it says`, { skip: none }, () => {
        const { text, prints } = exampleOf(example);
        const [name, program] = LAB_RUNTIMES.includes(runtime)
          ? [basename(example), text]
          : compiled(basename(example), text);
        assert.equal(foreign.output(name, program, start), prints);
      });
    }

    // Bun leaves types to TypeScript.
    if (runtime === "deno")
      it("holds to the package's types by its own compiler", () => {
        // It has settings of its own where no others are.
        rmSync(join(foreign.path, "tsconfig.json"), { force: true });
        run(start!.file, ["check", "--quiet", ...writePrograms()], foreign.path);
      });
  });
}

/** Name and text of the JavaScript that a program of these becomes. */
function compiled(name: string, text: string): [name: string, text: string] {
  foreign.write(name, text);
  foreign.compile([name], ...FOR_RUNTIMES);
  const script = name.replace(/\.ts$/, ".js");
  return [script, readFileSync(join(foreign.path, script), "utf8")];
}

describe("the package's README", () => {
  const page = readFileSync(join(ROOT, PAGE), "utf8");
  /** What stands in a block of code there. */
  const unindented = (block: string) => block.replaceAll(/^ {4}/gm, "").trimEnd();

  it("has a row for each door: what to import, its example and the answer", () => {
    const row =
      /\| `hotpath-lab\/(\w+)` \| \[\1\.example\.ts\]\(\.\.\/(structures\/\w+\/\1\.example\.ts)\) \| \[results\]\(\.\.\/(results\/[^)]+)\) \|\n/g;
    const rows = [...page.matchAll(row)].map(([, ...cells]) => cells);
    const answerIn = (folder: string) => `results/${folder}/README.md`;
    assert.deepEqual(
      rows.toSorted(),
      doors().map(({ name, file }) => {
        // Until something of it is published, the front page says so.
        const answer = existsSync(join(ROOT, answerIn(dirname(file))))
          ? answerIn(dirname(file))
          : answerIn(".");
        return [name, join("structures", dirname(file), `${name}.example.ts`), join(answer)];
      }),
    );
  });

  it("can be read in a few minutes", () => {
    const lines = page.split("\n").length - 1;
    assert.ok(lines <= MOST_LINES, `${lines} lines`);
  });

  it("shows the picker's example word for word, but for its comment", () => {
    const code = exampleOf("structures/pick/pick.example.ts").text.replace(/^\/\*\*\n(?: \*.*\n)+/m, "");
    assert.ok(page.includes(code.replaceAll(/^(?=.)/gm, "    ")));
  });

  const shown = [
    ...page.matchAll(/\bFrom\s\[[\w.-]+\]\(\.\.\/(structures\/[^)]+)\):\n\n((?: {4}.*\n|\n(?= {4}))+)/g),
  ];
  for (const [, example, block] of shown) {
    it(`shows of ${basename(example!)} a first use, in a few lines and word for word`, () => {
      // Without its margin, which the lines of a block in an example have.
      const text = exampleOf(example!).text.replaceAll(/^ +/gm, "");
      for (const part of unindented(block!).split("\n\n"))
        assert.ok(text.includes(part.replaceAll(/^ +/gm, "")), part);
      const lines = block!.split("\n").filter((line) => line.trim() !== "").length;
      assert.ok(lines <= MOST_LINES_OF_USE, `${lines} lines`);
    });
  }

  it("shows code of each door", () => {
    const examples = new Set([...shown.map(([, example]) => example), "structures/pick/pick.example.ts"]);
    for (const { name, file } of doors())
      assert.ok(examples.has(join("structures", dirname(file), `${name}.example.ts`)), name);
  });

  for (const [name, count] of [
    ["pickers", 3],
    ["timers", 3],
  ] as const) {
    it(`leads to a page of ${name}, whose examples print what they say`, () => {
      assert.ok(page.includes(`](${name}.md)`));
      const text = readFileSync(join(ROOT, "examples", `${name}.md`), "utf8");
      const examples = [...text.matchAll(/This prints\s`([^`]+)`:\n\n((?: {4}.*\n|\n(?= {4}))+)/g)];
      assert.equal(examples.length, count);
      for (const [at, [, prints, code]] of examples.entries())
        assert.equal(foreign.output(`${name}-${at}.ts`, unindented(code!)), `${prints}\n`);
    });
  }
});
