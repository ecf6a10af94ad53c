import { callRace } from "../calls.ts";

export default callRace(
  "reconnect-10k",
  "any of 10,000 clients leaves and connects again at once",
  "reconnect",
);
