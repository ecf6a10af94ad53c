import { taking } from "../taking.ts";

export default taking({
  scenario: "granted",
  title: "takes of one token, with the limit far off",
  headline: true,
  isReached: false,
});
