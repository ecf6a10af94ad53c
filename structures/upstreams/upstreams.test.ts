import { testLaws } from "../shared/law-tests.ts";
import { examination } from "./upstreams.examination.ts";
import * as laws from "./upstreams.laws.ts";
import { mutants } from "./upstreams.mutants.ts";

await testLaws({ primitive: "upstreams", examination, mutants, laws, concurrency: [4, 4] });
