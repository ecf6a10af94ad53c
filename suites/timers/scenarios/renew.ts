import { heartbeats } from "../curves.ts";

export default heartbeats("renew", "by cancel and add, as the source does");
