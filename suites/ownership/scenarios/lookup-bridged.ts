import { ofKind } from "../lookup-races.ts";

export default ofKind("bridged", "in gaps that are bridged");
