import { MAIN_SIZE } from "../sizes.ts";
import { steady } from "../surveys.ts";

export default [steady("100k", MAIN_SIZE), steady("1m", 1_000_000, 1)];
