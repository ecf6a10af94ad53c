import { MAIN_SIZE } from "../sizes.ts";
import { cpuTime } from "../surveys.ts";

export default cpuTime("100k", MAIN_SIZE);
