import { ofKind } from "../lookup-races.ts";

export default ofKind("miss", "that all fall in no range");
