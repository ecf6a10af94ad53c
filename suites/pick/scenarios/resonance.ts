import { resonant } from "../resonant.ts";

export default [resonant("resonance", 1), resonant("resonance-4-workers", 4)];
