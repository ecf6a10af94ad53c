import { steady } from "../surveys.ts";

export default steady("1m", 1_000_000, 1);
