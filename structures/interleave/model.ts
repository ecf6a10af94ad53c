export { check, ModelCoverage, UnexplainedCalls } from "./model/check.ts";
export {
  type Call,
  type Drawing,
  type Generated,
  type Order,
  type Promised,
  type PromisedLimits,
  WAITS,
} from "./model/promised.ts";
