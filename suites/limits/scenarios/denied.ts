import { taking } from "../taking.ts";

export default taking({
  scenario: "denied",
  title: "takes of one token, with the limit reached",
  headline: false,
  isReached: true,
});
