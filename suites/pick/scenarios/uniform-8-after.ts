import { LOCAL_WORKS } from "../../shared/local-work.ts";
import { afterWork } from "../picking.ts";

export default LOCAL_WORKS.map((work) => afterWork(8, work));
