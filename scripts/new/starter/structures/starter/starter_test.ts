import { testLaws } from "../shared/law-tests.ts";
import { examination } from "./starter.examination.ts";
import * as laws from "./starter.laws.ts";
import { mutants } from "./starter.mutants.ts";

await testLaws({ primitive: "starter", examination, mutants, laws });
