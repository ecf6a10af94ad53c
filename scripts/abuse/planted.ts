import { spawnSync } from "node:child_process";
import type { Call } from "./trial.ts";

/** What several kinds of abuse plant and call: candidates, short races and clones. */

const STRUCTURES = new URL("../../structures/", import.meta.url);

/** A candidate's text: the competitor `like`, with statements at its top and members of its own. */
export function planted({ like = "pick/competitors/per-worker-random", atTop = "", own = "" }): string {
  return `import honest from ${JSON.stringify(new URL(`${like}.ts`, STRUCTURES).href)};
${atTop}
export default { ...honest, summary: "planted", ${own} };
`;
}

/** The shortest races that end with numbers take a second for each group. */
const SHORTEST = "--workers 1 --profile quick --out out";
export const ONE_GROUP = `bench draws/bound-7/lemire ${SHORTEST} --budget 1s`;
/** Two, one after the other. */
export const TWO_GROUPS = `bench draws/bound-7/lemire pick/uniform-8/cas-ring ${SHORTEST} --budget 2s`;
export const NIGHT = `nightly draws/bound-7 ${SHORTEST} --budget 1s --history out/history`;
export const COMPARISON = "compare HEAD~1 --workers 1 --size smoke --out out";
export const FLAME = "flame pick/uniform-8/cas-ring/1w --seconds 0.2 --out out";

/** The table of the first group, printed when it is whole: the second, if there is one, is being raced then. */
export const FIRST_TABLE = /^lemire +[\d.]+/m;

/** How a race ends that nothing is wrong with: on a machine that is too busy not every cell gets a number. */
export const RACED = { exit: [0, 1], kept: "groups: 1" } satisfies Partial<Call>;
export const BOTH_RACED = { exit: [0, 1], kept: "groups: 2" } satisfies Partial<Call>;

const PACKAGES = `ln -s "$ROOT/node_modules" clone && echo /node_modules >> clone/.git/info/exclude`;

/** For an abuse of a clone, whose last commit changes a competitor; `change` is run in its folder. */
export function inClone(change = "true") {
  const git = "git -c user.name=nobody -c user.email=nobody@localhost";
  return {
    before: `git clone --quiet "$ROOT" clone && ${PACKAGES} && cd clone &&
    echo 'Object.freeze([0]);' >> structures/draws/competitors/lemire.ts &&
    ${git} commit --quiet --all --message changed && ${change}`,
  };
}

/** For an abuse of a clone that has the last commit alone. */
export const SHALLOW = {
  before: `git clone --quiet --depth 1 "file://$ROOT" clone && ${PACKAGES}`,
};

const mounts = spawnSync("unshare", ["--mount", "mount", "-t", "tmpfs", "none", "/mnt"]);
export const unlessRoot = mounts.status !== 0 && "only root may mount a disk or give files away";
