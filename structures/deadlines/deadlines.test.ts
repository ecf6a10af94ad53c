import { testLaws } from "../shared/law-tests.ts";
import { examination } from "./deadlines.examination.ts";
import * as laws from "./deadlines.laws.ts";
import { mutants } from "./deadlines.mutants.ts";

await testLaws({ primitive: "deadlines", examination, mutants, laws });
