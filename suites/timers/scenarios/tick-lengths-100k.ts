import { tickLengths } from "../tick-lengths.ts";

export default tickLengths();
