import { drawing } from "../drawing.ts";

export default drawing("bound-7", "a number below 7", true, { bound: 7, only: false });
