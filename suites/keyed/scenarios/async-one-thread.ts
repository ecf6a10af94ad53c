import { awaiting } from "../requesting.ts";

export default awaiting("async-one-thread", "an increment under one of 1,024 keys, awaited", false, {
  keys: 1024,
});
