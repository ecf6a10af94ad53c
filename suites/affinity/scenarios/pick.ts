import { picking } from "../picking.ts";

export default [picking(3), picking(50), picking(1000)];
