/** What a program needs to use a picker; the pickers are modules of their own, `hotpath-lab/pick/<name>`. */
export type { Members, PickCompetitor, Picker, PickSetup } from "./pick.contract.ts";
export { attachTo, makeInstance, membersOf, type PickInstance, startBackground } from "./pick.instance.ts";
