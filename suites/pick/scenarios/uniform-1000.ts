import { uniform } from "../picking.ts";

export default uniform(1000, { headline: false });
