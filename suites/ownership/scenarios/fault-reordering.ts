import { singleFault } from "../faults.ts";

export default singleFault({
  scenario: "fault-reordering",
  title: "each node hears each piece of news up to 10 s later, so in an order of its own",
  faults: { reorderedMsMost: 10_000 },
});
