import { heartbeats } from "../curves.ts";

export default heartbeats("refresh", "by refresh");
