import { cold } from "../picking.ts";

export default cold(1000);
