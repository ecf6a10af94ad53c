import { ofKind } from "../lookup-races.ts";

export default ofKind("boundary", "at the edges of ranges");
