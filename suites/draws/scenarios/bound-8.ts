import { drawing } from "../drawing.ts";

export default drawing("bound-8", "a number below 8, a power of two", false, { bound: 8, only: false });
