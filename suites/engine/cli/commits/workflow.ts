import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { UsageError } from "../usage.ts";
import { buildIn, lockIn } from "./dependencies.ts";
import { git, reasonAgainst } from "./git.ts";

/** Where GitHub looks for it, in the repository. */
const WORKFLOW = ".github/workflows/benchmark.yml";

/** Folders that bench files are usually in; the first that is there is raced. */
const USUAL_FOLDERS = ["bench", "benchmark", "benchmarks"];

/**
 * Writes a workflow that races the bench files of each pull request against the branch it is for, and returns its path. Throws a
 * UsageError where there is no repository, or has a workflow of this name.
 */
export function writeWorkflow(folder: string): string {
  const top = topOf(folder);
  const path = join(top, WORKFLOW);
  if (existsSync(path))
    throw new UsageError(`${WORKFLOW} is there already and stays as it is: remove it first for a new one`);
  const bench = USUAL_FOLDERS.find((name) => existsSync(join(top, name))) ?? USUAL_FOLDERS[0]!;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, workflowText(bench, installing(top), buildIn(top)));
  return path;
}

function topOf(folder: string): string {
  try {
    return git(folder, "rev-parse", "--show-toplevel");
  } catch {
    throw new UsageError(`a workflow belongs to a git repository: ${reasonAgainst(folder)}`);
  }
}

/** What installs a project's packages on a runner, where npm is the only package manager. */
function installing(top: string): string {
  const install = lockIn(top)?.install ?? "npm install";
  if (install.startsWith("npm ")) return install;
  // corepack fetches the version of pnpm or yarn that package.json names.
  const first = install.startsWith("bun ") ? "npm install --global bun" : "corepack enable";
  return `${first} && ${install}`;
}

function workflowText(bench: string, install: string, build: string | undefined): string {
  const building = build === undefined ? "" : ` --build "${build}"`;
  return `# Races the benchmarks of a pull request against the branch that it is for, in the same processes. Only what is slower in
# two races fails; the table is in the summary of the job.
name: benchmark

on: pull_request

permissions: {}

concurrency:
  group: benchmark-\${{ github.event.pull_request.number }}
  cancel-in-progress: true

jobs:
  benchmark:
    runs-on: ubuntu-latest
    timeout-minutes: 20
    permissions:
      contents: read
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          # The branch that the pull request is for has to be there too.
          fetch-depth: 0
          persist-credentials: false
      - uses: actions/setup-node@820762786026740c76f36085b0efc47a31fe5020 # v7.0.0
        with:
          node-version: 24
      - run: ${install}
      - run: npx hotpath-race ${bench}/ --base "origin/$BASE_REF"${building} --budget 8m
        env:
          BASE_REF: \${{ github.base_ref }}
`;
}
