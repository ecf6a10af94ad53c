import { polling } from "../tick-lengths.ts";

export default polling();
