import { resonant } from "../resonant.ts";

export default resonant("resonance", 1);
