import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import { build as esbuild } from "esbuild";
import { rollup } from "rollup";
import { createLogger, build as vite } from "vite";
import webpack from "webpack";
import { parse } from "yaml";
import { competitorsOf, contractOf, loadCompetitor, primitives } from "../structures/catalog.ts";
import type { Start } from "../suites/engine/race.ts";
import { LAB_RUNTIMES, notInstalled, OTHER_RUNTIMES, startOf } from "../suites/lab/runtimes/runtimes.ts";
import { doors, packageExports } from "../suites/lab/store/manifest.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
/** Folder of the instrument's package. */
const RACE = "suites/engine";
/** Folder of the explorer's package. */
const INTERLEAVE = "structures/interleave";
/** Of a packed file, in bytes. */
const MOST_PACKED = 445_000;
/** Commands and other runtimes take 7,500 of it: the processes of these run the engine of the lab. */
const MOST_PACKED_RACE = 103_000;
const MOST_PACKED_INTERLEAVE = 68_000;

/** Of the package's README, which shows code for each door; and of a first use there, blank ones aside. */
const MOST_LINES = 340;
const MOST_LINES_OF_USE = 10;

const MANIFEST = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, string | null>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
};

/** All that a program with the lab's package needs besides: the Interner takes one, holdback-log the other. */
const PACKAGES = ["ipaddr.js", "tinyqueue"];
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

const TSC = join(ROOT, "node_modules/.bin/tsc");

/** What makes the package of what the compiler leaves in dist. */
const BUILDING = ["scripts/finish-build.cjs", "scripts/repository.cjs"];

/** Where a workflow of GitHub runs. */
const IN_WORKFLOW = { GITHUB_SERVER_URL: "https://git.example", GITHUB_REPOSITORY: "somebody/lab" };

/** Holds a copy of the sources, the packed file, and a folder that has the package and what it needs. */
let scratch: string;
let foreign: string;
let installed: string;
/** Of the packed file. */
let packedBytes: number;

function run(command: string, args: readonly string[], cwd: string, env = process.env): string {
  return execFileSync(command, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** What a page links to, without its own headings. */
function linksOf(page: string): string[] {
  return [...readFileSync(page, "utf8").matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, link]) => link!);
}

/** Asserts that each link of a page that is published leads to a file of the repository, or elsewhere. Returns these files. */
function assertLinksHold(page: string): string[] {
  const links = linksOf(page);
  for (const link of links) assert.match(link, /^https:/, page);
  const files = links.flatMap((link) => link.split("https://git.example/somebody/lab/blob/main/")[1] ?? []);
  for (const file of files) assert.ok(existsSync(join(ROOT, file)), file);
  return files;
}

/** Asserts that a package says what npm asks of one whose README is in this folder of the repository. */
function assertNames(directory: string, folder: string): void {
  const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
  const { repository, bugs, homepage } = manifest;
  const url = "https://git.example/somebody/lab";
  assert.deepEqual(repository, { type: "git", url: `git+${url}.git`, directory: folder });
  assert.deepEqual(bugs, { url: `${url}/issues` });
  assert.equal(homepage, `${url}/tree/main/${folder}#readme`);
}

/** The Node that the tests run on. */
const OWN: Start = { file: process.execPath, args: [] };

/** Asserts that the strictest compiler accepts these programs of the foreign folder, and all declarations they read. */
function assertStrict(include: readonly string[], options: Readonly<Record<string, unknown>>): void {
  const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
  writeFileSync(
    join(foreign, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: { ...options, ...strict, noEmit: true, skipLibCheck: false },
      include,
    }),
  );
  assert.equal(run(TSC, ["-p", "."], foreign), "");
}

/** What a runtime prints in the foreign folder for a module of this text. */
function output(name: string, text: string, { file, args } = OWN): string {
  writeFileSync(join(foreign, name), text);
  return run(file, [...args, name], foreign);
}

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

/** A program with a picker, a lock, a timer, and the code of all that are made of WebAssembly. */
const USING = `import { attachLock, attachSlots, makeLock, makePicker, makeSlots, picker, withLock } from "hotpath-lab";
import wasmRingOfSlots from "hotpath-lab/dispatch/wasm-ring-of-slots";
import { randomWords } from "hotpath-lab/draws";
import wasmLemire from "hotpath-lab/draws/wasm-lemire";
import wasmTicket from "hotpath-lab/locks/wasm-ticket";
import { privateOwnership } from "hotpath-lab/ownership";
import wasmSeqlockSlots from "hotpath-lab/ownership/wasm-seqlock-slots";
import wasmRoundRobin from "hotpath-lab/pick/wasm-round-robin";
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
console.log("drawn", wasmLemire.attach(randomWords(1), 1).draw());
const watchdog = makeWatchdog({ loops: 1 });
attachWatchdog(watchdog, 0).stop();
console.log(watchdogText(watchdog).split("\\n")[2]);
new Timeouts(hashedWheel, 1).set(() => console.log("fired"), 1);
`;
const USING_PRINTS =
  'picked 0\nlocked true\nslot 0\nowner -1\nmoved false\ndue 0\ndrawn 0\nevent_loop_hung_seconds{loop="0"} 0\nfired\n';

before(() => {
  scratch = mkdtempSync(join(tmpdir(), "hotpath-package-"));

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
  const pack = ["pack", "./dist", "--silent", "--offline", "--logs-max=0", "--pack-destination", scratch];
  run("npm", pack, lab);

  const packed = readdirSync(scratch).find((name) => name.endsWith(".tgz"))!;
  packedBytes = statSync(join(scratch, packed)).size;
  foreign = join(scratch, "foreign");
  installed = join(foreign, "node_modules", "hotpath-lab");
  mkdirSync(installed, { recursive: true });
  run("tar", ["-xzf", join(scratch, packed), "--strip-components=1", "-C", installed], scratch);
  const besidesExamples = [...EXAMPLES, "examples/timers.md"].flatMap(besides);
  for (const name of new Set([...PACKAGES, ...TYPES, ...PEERS, ...besidesExamples])) {
    const link = join(foreign, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), link);
  }
  writeFileSync(join(foreign, "package.json"), '{ "type": "module" }');
});

after(() => rmSync(scratch, { recursive: true, force: true }));

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
    assert.match(
      readFileSync(join(installed, "CHANGELOG.md"), "utf8"),
      new RegExp(`^## ${manifest.version}\\b`, "m"),
    );
  });

  it("names the repository that it is published from, whichever that is, and its pages' links lead there", () => {
    const lab = join(scratch, "lab");
    const env = { ...process.env, ...IN_WORKFLOW };
    run(process.execPath, ["scripts/finish-build.cjs"], lab, env);
    assertNames(join(lab, "dist"), "examples");
    const links = globSync("dist/**/*.md", { cwd: lab }).flatMap((page) => assertLinksHold(join(lab, page)));
    for (const file of [...EXAMPLES, "results/README.md"]) assert.ok(links.includes(file), file);
  });

  it("has beside it three packages that the workflow gives the same names, and whose pages' links hold", () => {
    const workflow = parse(readFileSync(join(ROOT, ".github/workflows/publish.yml"), "utf8"));
    const { run: commands } = workflow.jobs.publish.steps.find(
      ({ name }: { name?: string }) => name === "Publish",
    );
    // All of it but what speaks with the registry.
    const setting = commands.replaceAll(/^(registry=|npm (config|publish)\b).*\n/gm, "");
    const lab = join(scratch, "published");
    mkdirSync(join(lab, "scripts"), { recursive: true });
    copyFileSync(join(ROOT, "scripts/repository.cjs"), join(lab, "scripts/repository.cjs"));
    for (const [name, folder] of [
      ["benchmark-reporter-markdown", "suites/reporter"],
      ["hotpath-race", RACE],
      ["interleave-shared", INTERLEAVE],
    ] as const) {
      mkdirSync(join(lab, folder), { recursive: true });
      const pages = globSync("*.md", { cwd: join(ROOT, folder) });
      for (const file of ["package.json", ...pages])
        copyFileSync(join(ROOT, folder, file), join(lab, folder, file));
      run("bash", ["-c", setting], lab, { ...process.env, ...IN_WORKFLOW, PACKAGE: name });
      assertNames(join(lab, folder), folder);
      for (const page of pages) assertLinksHold(join(lab, folder, page));
    }
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
    assert.equal(output("listing.js", listing), loaded());
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
      () => output("inside.js", 'import "hotpath-lab/pick/pick.instance";'),
      /ERR_MODULE_NOT_FOUND/,
    );
  });

  it("has no floor and no oracle", () => {
    const withheld = COMPETITORS.filter(({ isExported }) => !isExported).map(({ module }) => module);
    for (const module of ["hotpath-lab/pick/no-op", "hotpath-lab/locks/test-and-set"])
      assert.ok(withheld.includes(module), module);
    const importing = `for (const name of ${JSON.stringify(withheld)})
      await import(name).then(() => console.log(name), ({ code }) => console.log(code));`;
    assert.equal(output("withheld.js", importing), "ERR_PACKAGE_PATH_NOT_EXPORTED\n".repeat(withheld.length));
  });

  it("has every competitor that is not another package's, and needs no package but the ones it says", () => {
    assert.deepEqual(Object.keys(MANIFEST.dependencies).sort(), PACKAGES);
    // A program that imports the door that needs one has it.
    for (const peer of PEERS) assert.deepEqual(MANIFEST.peerDependenciesMeta[peer], { optional: true });
    assert.equal(output("all.js", loading()), loaded());
  });

  it("has the code of the competitors in WebAssembly, and starts the thread that one leaves work to", () => {
    const starting = `import { attachPicker, makePicker, startBackground } from "hotpath-lab/pick";
    import reshuffle from "hotpath-lab/pick/background-reshuffle";
    const instance = makePicker(reshuffle, { backends: 1, workers: 1 });
    const end = await startBackground(reshuffle, instance);
    console.log(attachPicker(reshuffle, instance, 0).pick());
    await end();`;
    assert.equal(output("starting.js", starting), "0\n");
    assert.equal(output("using.js", USING), USING_PRINTS);
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
    assert.equal(output("picking.cjs", picking), "0\n");
  });

  // By hand, with rollup's CommonJS plugin, and with TypeScript 5.8, 5.9 and 6.0: 5.8 and 5.9 need nodenext.
  for (const module of ["commonjs", "nodenext"]) {
    it(`is for programs that TypeScript compiles to CommonJS as ${module}`, () => {
      const picking = `import { attachPicker, makePicker } from "hotpath-lab/pick";
      import random from "hotpath-lab/pick/per-worker-random";
      console.log(attachPicker(random, makePicker(random, { backends: 1, workers: 1 }), 0).pick());`;
      writeFileSync(join(foreign, "compiled.cts"), picking);
      run(
        TSC,
        ["--ignoreConfig", "--module", module, "--target", "es2022", "--types", "node", "compiled.cts"],
        foreign,
      );
      assert.match(readFileSync(join(foreign, "compiled.cjs"), "utf8"), /require\("hotpath-lab/);
      assert.equal(run(process.execPath, ["compiled.cjs"], foreign), "0\n");
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
      root: foreign,
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
      ...{ mode: "production", target: "node", context: foreign },
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
  before(() => writeFileSync(join(foreign, "bundled.js"), bundledProgram()));

  for (const [name, bundled] of Object.entries(BUNDLERS)) {
    it(`made by ${name}, does what the package does, or reports in one line what it cannot do`, async () => {
      const extension = /CommonJS/.test(name) ? "cjs" : "mjs";
      const file = join(foreign, "bundles", `${name.replaceAll(/\W+/g, "-")}.${extension}`);
      assert.deepEqual(await bundled(join(foreign, "bundled.js"), file), []);
      // A bundle runs where the package is not.
      const away = `${installed}-away`;
      renameSync(installed, away);
      try {
        assert.equal(run(process.execPath, [file], foreign), BUNDLED_PRINTS);
      } finally {
        renameSync(away, installed);
      }
    });
  }
});

/** Gzipped, in bytes. What stands between a program and undici knows two interfaces of handlers, and tells whose fault is whose. */
const MOST_BUNDLED = 8192;
const MOST_BUNDLED_OF_UPSTREAMS = 10_240;

describe("a bundle of a worked example", () => {
  for (const example of EXAMPLES) {
    it(`${basename(example)} is small, but for other packages`, async () => {
      const { outputFiles } = await esbuild({
        stdin: { contents: exampleOf(example).text, loader: "ts", resolveDir: foreign },
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
  for (const example of EXAMPLES) writeFileSync(join(foreign, basename(example)), exampleOf(example).text);
  writeFileSync(
    join(foreign, "all.ts"),
    ["hotpath-lab", ...doors().map(({ name }) => `hotpath-lab/${name}`), ...competitorModules()]
      .map((name, index) => `export * as m${index} from "${name}";`)
      .join("\n"),
  );
  writeFileSync(
    join(foreign, "wrong.ts"),
    `import { attachPicker, makePicker } from "hotpath-lab/pick";
import casRing from "hotpath-lab/pick/cas-ring";
const instance = makePicker(casRing, { backends: 8, workers: 1, seed: 1, firstTicket: 0 });
// @ts-expect-error: a backend is a number, which would pass unnoticed if the types had become \`any\`.
export const backend: string = attachPicker(casRing, instance, 0).pick();
`,
  );
  writeFileSync(
    join(foreign, "in-place.ts"),
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
      assert.equal(output(basename(example), text), prints);
    });
  }

  it("holds to the package's types, strictly, with the browser's globals and without", () => {
    writePrograms();
    for (const lib of [["es2024", "dom"], ["es2024"]])
      assertStrict(["*.ts"], { target: "es2024", lib, module: "nodenext", types: ["node"] });
  });
});

// npm run runtimes installs them.
for (const runtime of OTHER_RUNTIMES) {
  const start = startOf(runtime);
  const skip = start === undefined ? notInstalled(runtime) : false;
  describe(`with the package in a foreign folder, ${runtime}`, { skip }, () => {
    it("loads every competitor that is not another package's", () => {
      assert.equal(output("all.js", loading(), start), loaded());
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
        assert.equal(output(name, program, start), prints);
      });
    }

    // Bun leaves types to TypeScript.
    if (runtime === "deno")
      it("holds to the package's types by its own compiler", () => {
        // It has settings of its own where no others are.
        rmSync(join(foreign, "tsconfig.json"), { force: true });
        run(start!.file, ["check", "--quiet", ...writePrograms()], foreign);
      });
  });
}

/** Name and text of the JavaScript that a program of these becomes. */
function compiled(name: string, text: string): [name: string, text: string] {
  writeFileSync(join(foreign, name), text);
  compile(name);
  const script = name.replace(/\.ts$/, ".js");
  return [script, readFileSync(join(foreign, script), "utf8")];
}

function compile(...names: string[]): void {
  const options = ["--module", "nodenext", "--target", "es2022", "--lib", "es2024", "--types", "node"];
  run(TSC, ["--ignoreConfig", ...options, ...names], foreign);
}

describe("hotpath-race in a foreign folder", () => {
  let racing: string;
  let folder: string;
  let packedBytes: number;
  /** What the README has a reader type in the clone: the command, and what packs it for elsewhere. */
  const [use, pack] = [
    ...readFileSync(join(ROOT, "README.md"), "utf8").matchAll(/^ {4}(.*hotpath-race.*)$/gm),
  ].map(([, line]) => line!.split(" ")) as [string[], string[]];
  before(() => {
    const [npm, ...words] = pack;
    run(npm!, [...words, "--silent", "--offline", "--logs-max=0", "--pack-destination", scratch], ROOT);
    const packed = join(scratch, readdirSync(scratch).find((name) => name.startsWith("hotpath-race"))!);
    packedBytes = statSync(packed).size;
    racing = join(scratch, "racing");
    mkdirSync(racing);
    writeFileSync(join(racing, "package.json"), "{}");
    run("npm", ["install", "--silent", "--offline", "--no-audit", "--logs-max=0", packed], racing);
    folder = join(racing, "node_modules", "hotpath-race");
    writeFileSync(
      join(racing, "bench.mjs"),
      `export const sort = { sort: () => [2, 1, 3].sort(), toSorted: () => [2, 1, 3].toSorted() };`,
    );
  });

  /** What the command of the package printed on stdout, and its exit code. */
  function command(...args: string[]) {
    const { status, stdout, stderr } = spawnSync("npx", ["--no-install", "hotpath-race", ...args], {
      cwd: racing,
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  }

  it("holds its build, its description and its licence, is small, and needs no other package", () => {
    assert.deepEqual(readdirSync(folder).sort(), [
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "dist",
      "hotpath-race.js",
      "package.json",
    ]);
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    assert.equal(manifest.dependencies, undefined);
    for (const peer of Object.keys(manifest.peerDependencies))
      assert.deepEqual(manifest.peerDependenciesMeta[peer], { optional: true });
    assert.match(
      readFileSync(join(folder, "CHANGELOG.md"), "utf8"),
      new RegExp(`^## ${manifest.version}\\b`, "m"),
    );
    assert.ok(packedBytes < MOST_PACKED_RACE, `${packedBytes} bytes`);
  });

  it("has all that its files lead to, and declarations that lead to no other package", () => {
    for (const file of globSync("dist/**/*.{js,d.ts}", { cwd: folder })) {
      const text = readFileSync(join(folder, file), "utf8");
      for (const [, name] of text.matchAll(/(?:\bfrom ?|\bimport ?|new URL\()"([^"\s()]+)"/g)) {
        const target = file.endsWith(".d.ts") ? name!.replace(/\.js$/, ".d.ts") : name!;
        assert.ok(
          name!.startsWith("node:") || existsSync(join(folder, dirname(file), target)),
          `${file} imports ${name}`,
        );
      }
    }
  });

  it("has a command that lists, races, and refuses what is wrong, and writes nothing else", () => {
    const before = readdirSync(racing, { recursive: true })
      .filter((path) => !`${path}`.includes(".cache"))
      .sort();
    const listed = command("bench.mjs", "--list");
    assert.deepEqual(
      [listed.status, listed.stdout],
      [0, "bench.mjs: 2 tasks in 1 group\n  sort\n    sort\n    toSorted\n"],
    );
    const raced = command("bench.mjs", "--quick", "--budget", "20s", "--json", "-");
    assert.equal(raced.status, 0, raced.stderr);
    const { tool, races } = JSON.parse(raced.stdout);
    assert.equal(
      tool,
      `hotpath-race ${JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version}`,
    );
    assert.deepEqual(races[0].rows.map(({ task }: { task: string }) => task).sort(), ["sort", "toSorted"]);
    const refused = command("bench.mjs", "--group", "print");
    assert.deepEqual(
      [refused.status, refused.stdout, refused.stderr.split("\n").at(-2)],
      [2, "", "there is no group print; there are: sort"],
    );
    assert.deepEqual(
      readdirSync(racing, { recursive: true })
        .filter((path) => !`${path}`.includes(".cache"))
        .sort(),
      before,
    );
  });

  it("lists TypeScript of a package that says CommonJS, with Node alone", () => {
    const project = join(racing, "project");
    mkdirSync(project);
    for (const [name, text] of Object.entries({
      "package.json": '{"type":"commonjs"}',
      "a.ts": `import { Opt } from "./opt"; import sum from "./sum"; const opt: Opt = { one: sum };
        export const task = { [opt.one + __filename.slice(-4)]: () => 1 };`,
      "sum.ts": `import { one } from "./opt"; import { two } from "./old"; export default one + two;`,
      "opt.ts": "export interface Opt { one: number } export const one = 1;",
      "old.js": "exports.two = 2;",
    }))
      writeFileSync(join(project, name), text);
    const { stdout, stderr } = command("project/a.ts", "--list");
    assert.equal(stdout, "project/a.ts: 1 task in 1 group\n  task\n    3a.ts\n", stderr);
    rmSync(project, { recursive: true });
  });

  it("is a command in a clone, as the README has it, where npm links it before it is built", () => {
    const clone = join(scratch, "clone");
    const workspace = join(clone, RACE);
    mkdirSync(workspace, { recursive: true });
    writeFileSync(join(clone, "package.json"), JSON.stringify({ workspaces: [RACE] }));
    for (const file of readdirSync(folder)) {
      if (file !== "dist") copyFileSync(join(folder, file), join(workspace, file));
    }
    run("npm", ["install", "--silent", "--offline", "--no-audit", "--logs-max=0"], clone);
    cpSync(join(folder, "dist"), join(workspace, "dist"), { recursive: true });
    writeFileSync(join(clone, "bench.js"), "exports.one = () => 1;");
    const [npx, ...words] = use;
    assert.match(run(npx!, ["--no-install", ...words, "--list"], clone), /^bench\.js: 1 task\b/);
  });

  it("races its example, whose third competitor loses events", () => {
    const example = readFileSync(join(ROOT, RACE, "examples", "counter.race.ts"), "utf8");
    const briefly = example.replace("(import.meta.url, counter)", "(import.meta.url, counter, BRIEFLY)");
    const options = "{ workers: [1, 2], exactly: { forks: 1, rounds: 2, warmUpSlices: 2 } }";
    writeFileSync(join(racing, "counter.race.ts"), `const BRIEFLY = ${options};\n${briefly}`);
    const printed = run(process.execPath, ["counter.race.ts"], racing);
    assert.match(printed, /^one counter for all workers: 1 worker\n/);
    assert.match(printed, /\none counter for all workers: 2 workers\n/);
    assert.match(printed, /\nadd +\S+ ns\/event .* baseline\n/);
  });
});

describe("interleave-shared in a foreign folder", () => {
  const README_BLOCKS = [
    ...readFileSync(join(ROOT, INTERLEAVE, "README.md"), "utf8").matchAll(/^```text\n(.*?\n)```$/gms),
  ].map(([, text]) => text!);
  const EXAMPLES_THAT_PRINT = ["aba", "awaited", "counter", "lost-wake-up", "publication", "seqlock"];
  /** Runs them all, and prints the error of the one that throws. */
  const ALL = `for (const name of ${JSON.stringify(EXAMPLES_THAT_PRINT)})
    await import(\`./\${name}.ENDING\`).catch(({ message }) => console.log(message));`;
  let folder: string;
  let packedBytes: number;

  before(() => {
    run(
      "npm",
      ["pack", "--silent", "--offline", "--logs-max=0", "--pack-destination", scratch],
      join(ROOT, INTERLEAVE),
    );
    const packed = join(scratch, readdirSync(scratch).find((name) => name.startsWith("interleave-shared"))!);
    packedBytes = statSync(packed).size;
    folder = join(foreign, "node_modules", "interleave-shared");
    mkdirSync(folder);
    run("tar", ["-xzf", packed, "--strip-components=1", "-C", folder], scratch);
    for (const name of [...EXAMPLES_THAT_PRINT, "in-node-test"])
      copyFileSync(join(ROOT, INTERLEAVE, "examples", `${name}.ts`), join(foreign, `${name}.ts`));
  });

  function assertPrinted(printed: string): void {
    assert.ok(README_BLOCKS.length > 0);
    for (const block of README_BLOCKS) assert.ok(printed.includes(block), printed);
    assert.equal(printed.match(/^Every schedule was visited: /gm)?.length, EXAMPLES_THAT_PRINT.length - 1);
  }

  it("holds its build, its pages and its licence, is small, and needs no other package and no Node", () => {
    assert.deepEqual(readdirSync(folder).sort(), [
      "API.md",
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "dist",
      "package.json",
    ]);
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    for (const field of ["dependencies", "peerDependencies"]) assert.ok(!(field in manifest), field);
    assert.match(
      readFileSync(join(folder, "CHANGELOG.md"), "utf8"),
      new RegExp(`^## ${manifest.version}\\b`, "m"),
    );
    assert.ok(packedBytes < MOST_PACKED_INTERLEAVE, `${packedBytes} bytes`);
    for (const file of globSync("dist/**/*.{js,d.ts}", { cwd: folder })) {
      const text = readFileSync(join(folder, file), "utf8");
      for (const [, name] of text.matchAll(/^(?:import|export)\b(?:.* from)? "([^"]+)";$/gm)) {
        const target = file.endsWith(".d.ts") ? name!.replace(/\.js$/, ".d.ts") : name!;
        assert.ok(existsSync(join(folder, dirname(file), target)), `${file} imports ${name}`);
      }
    }
  });

  it("prints for each example what its README says", () => {
    assertPrinted(output("interleavings.js", ALL.replace("ENDING", "ts")));
  });

  it("serves tests of node:test", () => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const reporting = ["--test", "--test-reporter=tap", "in-node-test.ts"];
    const tested = spawnSync(process.execPath, reporting, { cwd: foreign, env, encoding: "utf8" });
    assert.match(tested.stdout, /^ok 1 - no increment is lost$/m);
  });

  it("explores code that keeps Atomics, once it is registered", () => {
    writeFileSync(
      join(foreign, "kept.js"),
      "const { add } = Atomics;\nexport const count = (words) => add(words, 0, 1);",
    );
    const program = `import { check } from "interleave-shared";
    import { count } from "./kept.js";
    const shared = new Int32Array(new SharedArrayBuffer(4));
    try { console.log(check({ shared, threads: [count, count] }).complete); } catch ({ message }) { console.log(message); }`;
    assert.match(output("unregistered.js", program), /import "interleave-shared\/register" before/);
    assert.equal(output("registered.js", `import "interleave-shared/register";\n${program}`), "true\n");
  });

  it("has types that hold strictly, without those of Node, as programs and bundlers resolve modules", () => {
    writeFileSync(
      join(foreign, "interleaving.ts"),
      `import "interleave-shared/register";
import { type Checked, type Coverage, check, checkAsync, InterleavingError } from "interleave-shared";
import { check as checkModel, WAITS } from "interleave-shared/model";
const words = new Int32Array(new SharedArrayBuffer(4));
const program: Checked<Int32Array> = { shared: words, threads: [(shared) => Atomics.add(shared, 0, 1)] };
export const coverage: Coverage = check(program, { preemptions: 2, random: { schedules: 1, seed: 1 } });
export const awaited: Promise<Coverage> = checkAsync({ shared: words, threads: [async ([count]) => count] });
check({
  shared: { words, bytes: new Uint8Array(words.buffer) },
  attach: ({ words, bytes }, thread) => ({ words, bytes, thread }),
  threads: [({ words, thread }) => Atomics.store(words, 0, thread), [({ bytes }) => bytes[0]]],
  end({ words }, { results }) {
    if (words[0] !== results[0]![0]) throw new InterleavingError("end", "not stored");
  },
});
export const { complete } = checkModel({
  model: { value: 0, next() { return this.value < 9 ? this.value++ : WAITS; } },
  shared: words,
  operations: { next: { call: (shared) => Atomics.add(shared, 0, 1), args: ({ nth }) => [nth] } },
  threads: 2,
  calls: 2,
});
// @ts-expect-error: states are a number, which would pass unnoticed if the types had become \`any\`.
export const states: string = coverage.states;
`,
    );
    for (const [module, moduleResolution] of [
      ["nodenext", "nodenext"],
      ["esnext", "bundler"],
    ]) {
      assertStrict(["interleaving.ts"], {
        target: "es2022",
        lib: ["es2022"],
        module,
        moduleResolution,
        types: [],
      });
    }
  });

  for (const runtime of OTHER_RUNTIMES) {
    const start = startOf(runtime);
    const skip = start === undefined ? notInstalled(runtime) : false;
    it(`prints for each example what its README says, on ${runtime}`, { skip }, () => {
      const isTyped = LAB_RUNTIMES.includes(runtime);
      if (!isTyped) compile(...EXAMPLES_THAT_PRINT.map((name) => `${name}.ts`));
      assertPrinted(output("interleavings.js", ALL.replace("ENDING", isTyped ? "ts" : "js"), start));
      if (runtime === "deno") run(start!.file, ["check", "--quiet", "interleaving.ts"], foreign);
    });
  }
});

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
        assert.equal(output(`${name}-${at}.ts`, unindented(code!)), `${prints}\n`);
    });
  }
});
