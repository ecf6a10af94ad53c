import { taking } from "../taking.ts";

export default taking({
  scenario: "granted-alone",
  title: "takes of one token by one worker, with the limit far off",
  headline: false,
  isReached: false,
  mostWorkers: 1,
});
