import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { UsageError } from "../../suites/engine/schema/usage.ts";

/** This checkout. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** What keeps npm from leaving logs behind. */
export const QUIET_NPM = {
  npm_config_logs_max: "0",
  npm_config_update_notifier: "false",
  npm_config_cache: "/dev/null/npm",
};

/** What commands may leave behind in a checkout: git tells of a folder that it ignores as one. */
const MAY_GROW = ["results/local/", "node_modules/"];

/** Everything in a checkout that is not as it was committed, as git tells: a line each. */
export function differencesOf(checkout: string): ReadonlySet<string> {
  const args = ["status", "--porcelain", "--ignored", "--untracked-files=normal"];
  let text: string;
  try {
    text = execFileSync("git", args, { cwd: checkout, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    throw new UsageError(
      `git does not tell what an abuse leaves in ${checkout}: ${(error as Error).message.split("\n").at(1)}: run npm run abuse in a git checkout of your own`,
    );
  }
  const lines = text.split("\n").filter((line) => line !== "");
  return new Set(lines.filter((line) => !MAY_GROW.includes(line.slice(3))));
}

/** What runs an npm script of a checkout, its paths absolute, so that it can be called in any folder. */
export function wordsOf(checkout: string, script: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const [program, ...words] = scripts[script]!.split(" ");
  return [
    program === "node" ? process.execPath : program!,
    ...words.map((word) => (word.startsWith("-") ? word : resolve(checkout, word))),
  ];
}
