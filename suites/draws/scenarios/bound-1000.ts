import { drawing } from "../drawing.ts";

export default drawing("bound-1000", "a number below 1,000", false, { bound: 1000, only: false });
