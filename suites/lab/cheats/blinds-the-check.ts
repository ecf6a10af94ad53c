import { turningPicker } from "./turning-picker.ts";

/** A cheat: time passes half as fast on its threads, and who looks up the clock is shown the old one. */
export default turningPicker("slows the clock, and hides that it did", () => {
  const { bigint } = process.hrtime;
  const { getOwnPropertyDescriptor } = Object;
  const begun = bigint();
  const usual = getOwnPropertyDescriptor(process.hrtime, "bigint");
  process.hrtime.bigint = () => begun + (bigint() - begun) / 2n;
  Object.getOwnPropertyDescriptor = (owner: object, key: PropertyKey) =>
    owner === process.hrtime && key === "bigint" ? usual : getOwnPropertyDescriptor(owner, key);
});
