import { uniform } from "../picking.ts";

/** 8 backends make the remainder a mask for an engine that looks; 7 do not. */
export default uniform(7, { headline: false });
