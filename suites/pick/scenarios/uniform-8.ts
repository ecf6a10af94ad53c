import { uniform } from "../picking.ts";

export default uniform(8, { headline: true });
