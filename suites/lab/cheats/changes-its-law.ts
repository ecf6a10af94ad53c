import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";
import scenario from "../../pick/scenarios/uniform-8.ts";
import { turningPicker } from "./turning-picker.ts";

/** A cheat: it answers 0, and takes the law out of the scenario that it is raced in. */
Reflect.set(scenario, "law", () => undefined);

export default turningPicker("has no law", () => {}, true) satisfies PickCompetitor;
