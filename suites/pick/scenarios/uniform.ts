import { uniform } from "../picking.ts";

export default [
  // 8 backends make the remainder a mask for an engine that looks; 7 do not.
  uniform(7, { headline: false }),
  uniform(64, { headline: false }),
  uniform(1000, { headline: false }),
];
