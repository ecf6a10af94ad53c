import { callRace } from "../calls.ts";

export default callRace("beat-10k", "the next of 10,000 clients beats, when it is due", "beat");
