import { ofKind } from "../lookup-races.ts";

export default ofKind("hit", "that all find a range");
