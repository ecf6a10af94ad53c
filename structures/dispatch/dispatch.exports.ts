/** What a program needs to take the clients that are due; the lists are modules of their own, `hotpath-lab/dispatch/<name>`. */
export {
  type DispatchCompetitor,
  type DispatchList,
  LATEST_SECOND,
  LONGEST_REACH,
  LONGEST_RUN,
  MOST_CLIENTS,
  NOBODY,
} from "./dispatch.contract.ts";
