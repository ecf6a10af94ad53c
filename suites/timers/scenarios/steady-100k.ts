import { MAIN_SIZE } from "../sizes.ts";
import { steady } from "../surveys.ts";

export default steady("100k", MAIN_SIZE);
