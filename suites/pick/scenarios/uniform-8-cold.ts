import { cold } from "../picking.ts";

export default cold(8);
