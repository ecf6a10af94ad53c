import { drawing } from "../drawing.ts";

export default drawing("bound-7-only", "a number below 7, the only bound in the program", false, {
  bound: 7,
  only: true,
});
