import { FEWER_LOOKUPS, FEWER_RESOURCES, lookups, MAIN } from "../lookup-races.ts";

export default lookups("lookup-zipf", "lookups by Zipf's law among 10,000 addresses with 4 ranges each", {
  ...MAIN,
  resources: FEWER_RESOURCES,
  lookups: FEWER_LOOKUPS,
  keys: "zipf",
});
