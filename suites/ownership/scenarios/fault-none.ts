import { singleFault } from "../faults.ts";

export default singleFault({ scenario: "fault-none", title: "nothing goes wrong", faults: {} });
