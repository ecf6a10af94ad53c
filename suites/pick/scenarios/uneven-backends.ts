import { uneven } from "../uneven.ts";

export default [uneven("uneven-backends", 25), uneven("uneven-backends-1-process", 1)];
