import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

/** What the README says that something else decides. */
const ROOT = fileURLToPath(new URL("../", import.meta.url));
const README = readFileSync(join(ROOT, "README.md"), "utf8");

describe("the README", () => {
  it("has pictures of the results, with their words, as these show them today", () => {
    const pictures = README.match(/^<(?:img|picture).*>$/gm) ?? [];
    assert.ok(pictures.length > 0);
    const results = readFileSync(join(ROOT, "results", "README.md"), "utf8");
    for (const picture of pictures)
      assert.ok(results.includes(picture.replaceAll('="results/', '="')), picture);
  });

  it("and the list of commands name every script that a user can run, and none that is not there", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    const entries = Object.entries(scripts)
      .filter(([name, command]) => / scripts\/\S+\.ts$/.test(command) && name !== "tidy")
      .map(([name]) => name);
    const commands = readFileSync(join(ROOT, "scripts", "README.md"), "utf8");
    const named = new Set(
      [...`${README}${commands}`.matchAll(/npm run (?:-s )?([a-z:]+)/g)].map(([, name]) => name!),
    );
    for (const name of named) assert.ok(name in scripts, name);
    assert.deepEqual(
      entries.filter((name) => !named.has(name)),
      [],
    );
  });
});

it("the code that the tutorial has a reader change stands there", () => {
  const tutorial = readFileSync(join(ROOT, "suites", "TUTORIAL.md"), "utf8");
  const [, file, code] = /In `(\S+\.ts)` the inner loop says `([^`]+)`/.exec(tutorial)!;
  assert.ok(readFileSync(join(ROOT, file!), "utf8").includes(code!), code);
});

it("the library recommends what the answers do", () => {
  const recommended = [
    ...readFileSync(join(ROOT, "examples", "README.md"), "utf8").matchAll(/^\| .* \| (`.*`.*) \|$/gm),
  ]
    .flatMap(([, take]) => [...take!.matchAll(/`([a-z]+)\/([\w-]+)`/g)])
    .map(([, primitive, name]) => ({ primitive: primitive!, name: name! }));
  const choices = readFileSync(join(ROOT, "results", "choices.md"), "utf8");
  const taken = ({ primitive, name }: (typeof recommended)[number]) => {
    const answer = choices.split(/^## /m).find((section) => section.startsWith(`${primitive}\n`)) ?? "";
    return [...answer.matchAll(/^\| [^|]+ \| ([^|]+) \|/gm)].some(([, take]) =>
      take!.includes(`\`${name}\``),
    );
  };
  assert.ok(recommended.length > 0);
  assert.deepEqual(
    recommended.filter((one) => !taken(one)),
    [],
  );
});

it("the glossary has at most fifty words, each of them once", () => {
  const glossary = readFileSync(join(ROOT, "suites", "README.md"), "utf8").split("## Profiles")[0]!;
  const words = [...glossary.matchAll(/\*\*([^*]+)\*\*/g)].map(([, word]) => word!);
  assert.ok(words.length > 0 && words.length <= 50, String(words.length));
  assert.equal(new Set(words).size, words.length);
});

it("a version that the README or a page of results names is in a record, or is installed", () => {
  const known = new Set([...recorded(), ...installed()]);
  const pages = ["README.md", ...globSync("results/**/*.md", { cwd: ROOT })];
  const named = pages.flatMap((page) =>
    versionsIn(readFileSync(join(ROOT, page), "utf8")).map((version) => ({ page, version })),
  );
  assert.ok(named.length > 100, String(named.length));
  assert.deepEqual(
    named.filter(({ version }) => !known.has(version)),
    [],
  );
  assert.deepEqual(versionsIn("Node 1.2.3, v4.5.6 and 7.8.9; a@1.2.3"), [
    "Node 1.2.3",
    "Node 4.5.6",
    "Node 7.8.9",
    "a 1.2.3",
  ]);
});

/** `name x.y.z`; in a list of versions the name stands once. */
function versionsIn(text: string): string[] {
  let last = "";
  return [...text.matchAll(/([a-z@][\w./@-]*)?(?:,? |@)v?(\d+\.\d+\.\d+)\b/gi)].map(([, word, version]) => {
    if (word !== undefined && word !== "and") last = word.replace(/^Node\.js$/, "Node");
    return `${last} ${version}`;
  });
}

/** Of runtimes and kernels, in all published records. */
function recorded(): string[] {
  const texts = globSync("results/**/*.json.gz", { cwd: ROOT }).map((path) =>
    gunzipSync(readFileSync(join(ROOT, path))).toString("utf8"),
  );
  return texts.flatMap((text) => [
    ...[...text.matchAll(/"(?:version|engine)":\s*"(\w+) v?(\d+\.\d+\.\d+)/g)].map(
      ([, name, version]) => `${name} ${version}`,
    ),
    ...[...text.matchAll(/"name":\s*"Node\.js",\s*"version":\s*"([\d.]+)"/g)].map(
      ([, version]) => `Node ${version}`,
    ),
    ...[...text.matchAll(/"kernel":\s*"(\d+\.\d+\.\d+)/g)].map(([, version]) => `kernel ${version}`),
  ]);
}

/** By the lock file, and of what is installed on demand. */
function installed(): string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, { readonly version?: string }>>;
  };
  const runtimes = readFileSync(join(ROOT, "scripts", "runtimes", "package.json"), "utf8");
  const { stryker } = JSON.parse(readFileSync(join(ROOT, "results", "mutation", "mutation.json"), "utf8"));
  return [
    ...Object.entries(packages).map(
      ([path, { version }]) => `${path.split("node_modules/").at(-1)} ${version}`,
    ),
    ...[...runtimes.matchAll(/"(node|bun|deno)\d*-.*@([\d.]+)"/g)].map(
      ([, name, version]) => `${name![0]!.toUpperCase()}${name!.slice(1)} ${version}`,
    ),
    ...versionsIn(stryker),
  ];
}
