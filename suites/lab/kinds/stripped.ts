import { readFileSync, realpathSync, writeFileSync } from "node:fs";
import type { registerHooks } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isCommonJs, packageTypeOf, stripped } from "../../engine/measure/load/written.ts";
import { withScratch } from "../../engine/measure/machine/scratch.ts";
import type { GroupPlan } from "../../engine/measure/plan/plan.ts";
import type { Programs, WithPrograms } from "../../engine/measure/run/watched.ts";

/**
 * Modules that are stripped of their types once for all processes and threads of a group, where each of them would do it
 * again. They are written into one program that a fork and its threads begin with. It hands Node the text of a module
 * in place of the module's file.
 *
 * They are no bundle, because V8 compiles modules that were put together differently. A bundler makes variables of a
 * module's constants, and what is imported from another module becomes a neighbour. Bundled by esbuild, a private
 * random pick cost 1.62 times as much, a refresh of the hashed wheel 1.33 times, and cas-ring 0.97 times. Here every
 * module keeps its address, its lines and its imports, and V8 gets the text that Node would have made.
 *
 * What is not found here, Node loads from its file as ever: packages, CommonJS, JavaScript, and addresses that are
 * built at run time. So it does with what cannot be stripped, and then says what is wrong with it.
 */
export class StrippedModules implements Programs {
  readonly #folder: string;
  /** By address; undefined for modules that are left to Node. */
  readonly #modules = new Map<string, Module | undefined>();
  #programs = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  programFor({ moduleUrl, crews }: Pick<GroupPlan, "moduleUrl" | "crews">, lab?: string): string {
    const racers = crews.flatMap(({ url, remote }) =>
      url === undefined || remote !== undefined ? [] : [url],
    );
    const texts = this.#textsFrom([FORK, WORKER, moduleUrl, ...(lab === undefined ? [] : [lab]), ...racers]);
    const file = join(this.#folder, `modules-${this.#programs++}.mjs`);
    writeFileSync(file, programOf(texts));
    return pathToFileURL(file).href;
  }

  /** The text of these modules and of all that their imports lead to. */
  #textsFrom(urls: readonly string[]): Record<string, string> {
    const texts: Record<string, string> = {};
    const seen = new Set<string>();
    const waiting = [...urls];
    for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
      if (seen.has(url)) continue;
      seen.add(url);
      if (!this.#modules.has(url)) this.#modules.set(url, readModule(url));
      const module = this.#modules.get(url);
      if (module === undefined) continue;
      if (module.isStripped) texts[module.url] = module.text;
      waiting.push(...module.imports);
    }
    return texts;
  }
}

/** What processes and threads of a group do. */
const { href: FORK } = new URL("../../engine/measure/fork/fork.ts", import.meta.url);
const { href: WORKER } = new URL("../../engine/measure/fork/worker.ts", import.meta.url);

interface Module {
  /** As Node has it, without links. */
  readonly url: string;
  readonly text: string;
  readonly isStripped: boolean;
  readonly imports: readonly string[];
}

/** Specifiers that lead to files, wherever they stand: one that stands in a comment costs a file too many. */
const IMPORTED = /\b(?:from|import)\s*\(?\s*["']((?:\.\.?\/|\/|file:)[^"'\n]+)["']/g;

/** undefined for a file that cannot be read or stripped. */
function readModule(address: string): Module | undefined {
  try {
    const { href: url } = pathToFileURL(realpathSync(fileURLToPath(address)));
    const written = readFileSync(new URL(url), "utf8");
    const isTypeScript = /\.m?ts$/.test(url) && !url.includes("/node_modules/");
    const text = isTypeScript ? stripped(written) : written;
    const isStripped = isTypeScript && isModule(url, text);
    const imports = [...text.matchAll(IMPORTED)].flatMap(([, path]) => URL.parse(path!, url)?.href ?? []);
    return { url, text, isStripped, imports };
  } catch {
    return undefined;
  }
}

/** Whether Node takes it for a module rather than for CommonJS: where neither name nor package says, by trying. */
function isModule(url: string, text: string): boolean {
  if (url.endsWith(".mts")) return true;
  const type = packageTypeOf(url);
  return type === undefined ? !isCommonJs(text) : type === "module";
}

/** For a process it hands out modules and no more; of a thread it is the task as well. */
function programOf(texts: Readonly<Record<string, string>>): string {
  return `import { registerHooks } from "node:module";
(${provide})(registerHooks, ${JSON.stringify(texts)});
export default async (assignment) => (await import(${JSON.stringify(WORKER)})).default(assignment);
`;
}

/** Is written into the program as it stands, and so uses nothing from outside. */
function provide(register: typeof registerHooks, texts: Readonly<Record<string, string>>): void {
  register({
    resolve(specifier, context, next) {
      const leadsToFile = specifier.startsWith(".") || specifier.startsWith("file:");
      const url = leadsToFile ? URL.parse(specifier, context.parentURL)?.href : undefined;
      return url !== undefined && texts[url] !== undefined
        ? { url, format: "module", shortCircuit: true }
        : next(specifier, context);
    },
    load(url, context, next) {
      const source = texts[url];
      return source === undefined ? next(url, context) : { format: "module", source, shortCircuit: true };
    },
  });
}

/** Does some work with programs, which are gone afterwards. Where there is no place for them, each is refused with the reason. */
export const withPrograms: WithPrograms = async (work) => {
  let isBegun = false;
  try {
    return await withScratch("modules", (folder) => {
      isBegun = true;
      return work(new StrippedModules(folder));
    });
  } catch (error) {
    if (isBegun) throw error;
    const programFor = () => {
      throw error;
    };
    return await work({ programFor });
  }
};
