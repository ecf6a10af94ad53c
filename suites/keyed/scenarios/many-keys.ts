import { blocking } from "../requesting.ts";

export default blocking("many-keys", "an increment under one of 1,024 keys, which blocks the thread", true, {
  keys: 1024,
});
