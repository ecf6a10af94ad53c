import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import type { Start } from "../../suites/engine/race.ts";

/** Folders outside the repository, in which programs find a package only as it is packed. */

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const TSC = join(ROOT, "node_modules/.bin/tsc");
/** The Node that the tests run on. */
const OWN: Start = { file: process.execPath, args: [] };

export function run(command: string, args: readonly string[], cwd: string, env = process.env): string {
  return execFileSync(command, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** An empty folder, which is removed after the tests of where this is called. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hotpath-package-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Packs without the network by this command of npm, and returns the packed file of the package. */
export function packed(name: string, command: readonly string[], cwd: string, scratch: string): string {
  const quietly = ["--silent", "--offline", "--logs-max=0", "--pack-destination", scratch];
  run("npm", [...command, ...quietly], cwd);
  return join(
    scratch,
    readdirSync(scratch).find((file) => file.startsWith(name) && file.endsWith(".tgz")) ?? assert.fail(name),
  );
}

export function unpack(file: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  run("tar", ["-xzf", file, "--strip-components=1", "-C", folder], folder);
}

/** The changes of the version that is packed are said. */
export function assertVersionIsDescribed(folder: string): void {
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  assert.match(readFileSync(join(folder, "CHANGELOG.md"), "utf8"), new RegExp(`^## ${version}\\b`, "m"));
}

/** Where a workflow of GitHub runs. */
export const IN_WORKFLOW = { GITHUB_SERVER_URL: "https://git.example", GITHUB_REPOSITORY: "somebody/lab" };

/** What a page links to, without its own headings. */
export function linksOf(page: string): string[] {
  return [...readFileSync(page, "utf8").matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, link]) => link!);
}

/** Asserts that each link of a page that is published leads to a file of the repository, or elsewhere. Returns these files. */
export function assertLinksHold(page: string): string[] {
  const links = linksOf(page);
  for (const link of links) assert.match(link, /^https:/, page);
  const files = links.flatMap(
    (link) => link.split(/^https:\/\/git\.example\/somebody\/lab\/(?:blob|raw)\/main\//)[1] ?? [],
  );
  for (const file of files) assert.ok(existsSync(join(ROOT, file)), file);
  return files;
}

/** Asserts that a package says what npm asks of one whose README is in this folder of the repository. */
export function assertNames(directory: string, folder: string): void {
  const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
  const { repository, bugs, homepage } = manifest;
  const url = "https://git.example/somebody/lab";
  assert.deepEqual(repository, { type: "git", url: `git+${url}.git`, directory: folder });
  assert.deepEqual(bugs, { url: `${url}/issues` });
  assert.equal(homepage, `${url}/tree/main/${folder}#readme`);
}

/** A folder of modules that see of the repository's packages these alone. */
export class ForeignFolder {
  readonly path: string;

  constructor(path: string, packages: Iterable<string>) {
    this.path = path;
    for (const name of packages) {
      const link = join(path, "node_modules", name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(ROOT, "node_modules", name), link);
    }
    this.write("package.json", '{ "type": "module" }');
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.path, name), text);
  }

  /** What a runtime prints for a module of this text. */
  output(name: string, text: string, { file, args } = OWN): string {
    this.write(name, text);
    return run(file, [...args, name], this.path);
  }

  /** Asserts that the strictest compiler accepts these programs, and all declarations that they read. */
  assertStrict(include: readonly string[], options: Readonly<Record<string, unknown>>): void {
    const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
    const compilerOptions = { ...options, ...strict, noEmit: true, skipLibCheck: false };
    this.write("tsconfig.json", JSON.stringify({ compilerOptions, include }));
    assert.equal(run(TSC, ["-p", "."], this.path), "");
  }

  /** To JavaScript beside it. */
  compile(names: readonly string[], ...options: string[]): void {
    run(TSC, ["--ignoreConfig", "--types", "node", ...options, ...names], this.path);
  }
}

/** How a program is compiled for a runtime that does not strip types. */
export const FOR_RUNTIMES = ["--module", "nodenext", "--target", "es2022", "--lib", "es2024"];
