import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import zeroEks from "0x";
import type { CpuProfile } from "./cpu-profile.ts";
import { withScratch } from "./scratch.ts";

/**
 * A merged profile as 0x's interactive page, one self-contained HTML file. 0x takes half a second to load and bundles
 * its page anew each time, so this is imported when a page is wanted.
 *
 * 0x writes lines as the format counts them, from 0, and throws away a leaf whose name is in brackets: functions without
 * a name, the garbage collector, V8's own code. It is given the profile with lines from 1 and such names spelled out.
 */
export async function interactivePage(profile: CpuProfile, title: string): Promise<string> {
  return await withScratch(async (workingDir) => {
    // Relative, because 0x writes this path into the page.
    const visualizeCpuProfile = "profile.cpuprofile";
    writeFileSync(join(workingDir, visualizeCpuProfile), JSON.stringify(asZeroEksReads(profile)));
    await zeroEks({ visualizeCpuProfile, workingDir, name: "page", title });
    return withAllFrames(readFileSync(join(workingDir, "page.html"), "utf8"));
  });
}

/** What 0x takes for a file of the program, and which kinds of frames its page hides until they are asked for. */
const TAKES_JS = "/\\.m?js:\\d+(:\\d+?)?$/";
const TAKES_JS_AND_TS = "/\\.m?[jt]s:\\d+(:\\d+?)?$/";
const HIDES_MOST = "new Set(['cpp', 'regexp', 'v8', 'native', 'init'])";
const HIDES_NOTHING = "new Set([])";

/**
 * 0x knows no file that ends in .ts: it takes its frames for V8's own, and hides those, the workers and the garbage
 * collector at first. A page whose half is hidden would tell other shares than the picture beside it.
 */
function withAllFrames(page: string): string {
  for (const known of [TAKES_JS, HIDES_MOST]) {
    if (page.split(known).length !== 2)
      throw new Error(`0x is not the version that this was written for: no ${known}`);
  }
  // As functions, because a replacement in which there are dollars means something else.
  return page.replace(TAKES_JS, () => TAKES_JS_AND_TS).replace(HIDES_MOST, () => HIDES_NOTHING);
}

function asZeroEksReads({ nodes, ...profile }: CpuProfile): CpuProfile {
  return {
    ...profile,
    nodes: nodes.map(({ callFrame, ...node }) => {
      const { functionName, lineNumber } = callFrame;
      const name = functionName.replace(/^\((.*)\)$/, "$1") || "anonymous";
      return { ...node, callFrame: { ...callFrame, functionName: name, lineNumber: lineNumber + 1 } };
    }),
  };
}
