import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { describeRuntime } from "../../engine/measure/machine/machine.ts";
import { ROOT } from "../command/npm.ts";
import { UsageError } from "../command/usage.ts";
import { ABILITIES } from "./abilities.ts";
import {
  askRuntime,
  LAB_RUNTIMES,
  notInstalled,
  OTHER_RUNTIMES,
  parseRuntime,
  parseRuntimes,
  RUNTIMES_FOLDER,
  startOf,
} from "./runtimes.ts";

const OWN = { file: process.execPath, args: [] };
/** Has none installed. */
const ELSEWHERE = join(ROOT, "structures");

describe("the runtimes that the lab knows", () => {
  const { optionalDependencies: pins } = JSON.parse(
    readFileSync(join(RUNTIMES_FOLDER, "package.json"), "utf8"),
  ) as { readonly optionalDependencies: Readonly<Record<string, string>> };
  const PLATFORMS = ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64"];

  it("are pinned for each platform of the README, all platforms to one version", () => {
    assert.deepEqual(
      Object.keys(pins).sort(),
      OTHER_RUNTIMES.flatMap((runtime) => PLATFORMS.map((platform) => `${runtime}-${platform}`)).sort(),
    );
    for (const runtime of OTHER_RUNTIMES) {
      const versions = PLATFORMS.map(
        (platform) => /^npm:.*@(\d+\.\d+\.\d+)$/.exec(pins[`${runtime}-${platform}`]!)?.[1],
      );
      assert.equal(new Set(versions).size, 1, `${runtime}: ${versions}`);
      assert.notEqual(versions[0], undefined, runtime);
    }
  });

  it("are in the lock file, with what proves that they are what was pinned", () => {
    const { packages } = JSON.parse(readFileSync(join(RUNTIMES_FOLDER, "package-lock.json"), "utf8")) as {
      readonly packages: Readonly<Record<string, { readonly integrity?: string; hasInstallScript?: true }>>;
    };
    for (const name of Object.keys(pins)) {
      const locked = packages[`node_modules/${name}`];
      assert.ok(locked, `${name} is not in the lock file: npm install --package-lock-only in its folder`);
      assert.match(locked.integrity ?? "", /^sha512-/, name);
      assert.equal(locked.hasInstallScript, undefined, name);
    }
  });

  it("are refused in a line where they are unknown, cannot run the lab, or are not installed", () => {
    const refused = (text: string) => {
      try {
        parseRuntime("--runtime", text, ELSEWHERE);
      } catch (error) {
        assert.ok(error instanceof UsageError);
        return error.message;
      }
      return assert.fail(text);
    };
    assert.match(refused("bunn"), /^--runtime bunn is unknown; there are, nearest first: bun, /);
    assert.match(refused("node20"), /^--runtime node20 is unknown; /);
    assert.equal(refused("bun"), "--runtime bun is not installed: npm run runtimes installs it");
    assert.equal(notInstalled("node24"), "node24 is not installed: npm ci installs it");
    const several = () => parseRuntimes("--runtimes", "node24,bun", ELSEWHERE);
    assert.throws(several, /^Error: --runtimes bun is not installed: npm run runtimes installs it$/);
  });

  it("race each once, the lab's own first and then as they are named", () => {
    const folder = mkdtempSync(join(tmpdir(), "hotpath-runtimes-"));
    const named = (text: string) => parseRuntimes("--runtimes", text, folder).map(({ name }) => name);
    for (const [runtime, file] of [
      ["bun", "bin/bun"],
      ["deno", "deno"],
      ["node22", "bin/node"],
      ["node26", "bin/node"],
    ] as const) {
      const path = join(folder, "node_modules", `${runtime}-${process.platform}-${process.arch}`, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "");
    }
    assert.deepEqual(named("deno, bun,deno"), ["deno", "bun"]);
    assert.deepEqual(named("deno,node24"), ["node24", "deno"]);
    assert.deepEqual(named("all"), ["node24", "node22", "node26", "bun", "deno"]);
    assert.deepEqual(named("bun,all").toSorted(), [...LAB_RUNTIMES].toSorted());
    rmSync(folder, { recursive: true });
  });
});

describe("a runtime", () => {
  it("says what it is and has", async () => {
    const { name, version, engine, has } = await askRuntime(OWN);
    assert.deepEqual(
      { name, version, engine },
      { name: "Node.js", version: process.versions.node, engine: `V8 ${process.versions.v8}` },
    );
    assert.deepEqual(Object.keys(has), Object.keys(ABILITIES));
    for (const ability of [
      "sharedMemory",
      "mainThreadWait",
      "wasmThreads",
      "workerThreads",
      "piscina",
    ] as const)
      assert.equal(has[ability], true, ability);
  });

  it("that ends without an answer is reported in one line", async () => {
    const program = join(ROOT, "structures", "no-such-program.ts");
    await assert.rejects(askRuntime(OWN, program), /^Error: it does not say what it is: [^\n]+$/);
  });

  for (const runtime of LAB_RUNTIMES) {
    const start = startOf(runtime);
    const skip = start === undefined ? notInstalled(runtime) : false;
    it(`${runtime} is what it is called, and shares memory with threads`, { skip }, async () => {
      const { name, version, engine, has } = await askRuntime(start!);
      const own = `${name} ${version}`.replace(".js ", "").toLowerCase();
      assert.ok(own.startsWith(runtime.startsWith("node") ? `${runtime}.` : `${runtime} `), own);
      assert.match(engine, runtime === "bun" ? /^JavaScriptCore \w+$/ : /^V8 \d+\./);
      assert.ok(has.sharedMemory && has.workerThreads && has.wasmThreads);
      if (name === "Node.js") assert.ok(has.heldBytes);
    });
  }
});

describe("the runtime of a record", () => {
  const named = (versions: Record<string, string>) => {
    const { name, version, engine } = describeRuntime(versions);
    return `${name} ${version}, ${engine}`;
  };

  it("is Bun with its own engine, not with the V8 of the Node that it stands in for", () => {
    const webkit = "d6375c72affe0f70222cdcb45012b10f0bf3a9d5";
    assert.equal(
      named({ node: "26.3.0", bun: "1.4.5", v8: "14.6.202.34-node.20", webkit }),
      "Bun 1.4.5, JavaScriptCore d6375c72affe",
    );
  });

  it("is Deno, not the Node that it stands in for", () => {
    assert.equal(
      named({ node: "26.3.0", deno: "2.9.5", v8: "15.0.245.2-rusty" }),
      "Deno 2.9.5, V8 15.0.245.2-rusty",
    );
  });

  it("is Node.js where it is no other", () => {
    assert.equal(named({ node: "24.21.0", v8: "13.6" }), "Node.js 24.21.0, V8 13.6");
  });
});
