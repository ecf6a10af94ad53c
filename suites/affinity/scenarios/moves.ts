import { moving } from "../moving.ts";

export default [moving(3), moving(50), moving(1000)];
