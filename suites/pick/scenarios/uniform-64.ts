import { uniform } from "../picking.ts";

export default uniform(64, { headline: false });
