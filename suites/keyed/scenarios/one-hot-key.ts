import { blocking } from "../requesting.ts";

export default blocking("one-hot-key", "an increment under one key, which blocks the thread", false, {
  keys: 1,
});
