import { setFlagsFromString } from "node:v8";
import { turningPicker } from "./turning-picker.ts";

/** A cheat: when its own code is compiled it forbids V8 to optimise any more of that of others. */
export default turningPicker("keeps V8 from optimising its rivals", () =>
  setFlagsFromString("--no-turbofan"),
);
