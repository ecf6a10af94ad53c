import { LOCAL_WORKS } from "../../shared/local-work.ts";
import { afterWork } from "../picking.ts";

export default afterWork(8, LOCAL_WORKS[0]);
