import { LOCAL_WORKS } from "../../shared/local-work.ts";
import { afterWork } from "../contending.ts";

export default LOCAL_WORKS.map(afterWork);
