import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withScratch } from "../../suites/engine/measure/machine/scratch.ts";
import type { CpuProfile } from "./cpu-profile.ts";

/**
 * A merged profile as 0x's interactive page, one self-contained HTML file. 0x takes half a second to load, so
 * that is done when a page is wanted.
 *
 * 0x writes lines as the format counts them, from 0. It drops a leaf whose name is in brackets: functions without a
 * name, the garbage collector, V8's own code. It is given the profile with lines from 1 and such names spelled out.
 */
export async function interactivePage(profile: CpuProfile, title: string): Promise<string> {
  const { default: zeroEks } = await import("0x");
  return await withScratch("flame", async (workingDir) => {
    // Relative, because 0x writes this path into the page.
    const visualizeCpuProfile = "profile.cpuprofile";
    writeFileSync(join(workingDir, visualizeCpuProfile), JSON.stringify(asZeroEksReads(profile)));
    await zeroEks({ visualizeCpuProfile, workingDir, name: "page", title });
    const page = readFileSync(join(workingDir, "page.html"), "utf8");
    // As a function, because a replacement in which there are dollars means something else.
    return page.replace("</head>", (end) => PAGE_COLOURS + end);
  });
}

/**
 * 0x multiplies a frame's saturation by its own samples in percent: the hottest frames get colours that are brighter than a
 * screen shows, which are white on its white page. They get the last colour of its legend here. Its frames are translucent
 * and their names black, so that the page stays white on dark screens, too.
 */
const PAGE_COLOURS = `
<style>:root { --background: white; }</style>
<script>{
  const { set, ...own } = Object.getOwnPropertyDescriptor(CanvasRenderingContext2D.prototype, "fillStyle");
  const isTooBright = (fill) => Math.max(...(/^rgba\\((\\d+),(\\d+),(\\d+)/.exec(fill)?.slice(1) ?? [])) > 574;
  Object.defineProperty(CanvasRenderingContext2D.prototype, "fillStyle", {
    ...own,
    set(fill) { set.call(this, isTooBright(fill) ? "rgba(574,43,166, 0.844)" : fill); },
  });
}</script>
`;

/**
 * Goes behind the page's address. 0x does not recognize a file that ends in .ts and takes its frames for V8's own. Its
 * page hides these, with workers and the garbage collector, unless the address says that nothing is hidden.
 */
export const SHOWING_ALL = `#${encodeURIComponent(JSON.stringify({ merged: false, nodeId: 0, excludeTypes: [] }))}`;

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
