import { choosing, HOME, hashOf, type View, viewOf } from "./address.ts";
import { header, home } from "./home.ts";
import { type Html, html } from "./html.ts";
import { loadPrimitive, loadVega, refusal, siteIndex } from "./load.ts";
import { primitivesOf, recordFrom, textOf, withOwn } from "./own-records.ts";
import { shown } from "./shown.ts";
import { primitiveFile, type RecordFile } from "./site-data.ts";

/**
 * The page in a browser. Its address is all of its state but for the reader's own records; every change of the address makes
 * the page anew from it, as a whole.
 */
const index = siteIndex();
let own: readonly RecordFile[] = [];

const [head, main, footer] = ["header", "main", "footer"].map(
  (name) => document.querySelector<HTMLElement>(name)!,
) as [HTMLElement, HTMLElement, HTMLElement];

addEventListener("hashchange", () => void show());
main.addEventListener("change", ({ target }) => choose(target as HTMLInputElement));
head.addEventListener("click", ({ target }) => {
  // The address behind the # is the view's, so that no link can lead to the content.
  if (target instanceof HTMLButtonElement) main.focus();
});
footer.addEventListener("change", ({ target }) => void take((target as HTMLInputElement).files ?? []));
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  void take(event.dataTransfer?.files ?? []);
});
await show();

/** The field that was changed, with all that is checked of its name. A figure to be limited names a field and its value. */
function choose({ name, value, type }: HTMLInputElement): void {
  const checked = [...main.querySelectorAll<HTMLInputElement>("input:checked")].filter(
    (input) => input.name === name,
  );
  const text = type === "checkbox" ? checked.map((input) => input.value).join() : value;
  const [field, chosen] = name === "limit" ? (value.split("=") as [string, string]) : [name, text];
  location.hash = hashOf(choosing(viewOf(location.hash), { [field]: chosen }));
}

/** The page is replaced when its pictures are drawn, so that nothing on it jumps; focus and what was open stay. */
async function show(): Promise<void> {
  const { hash } = location;
  const view = viewOf(hash);
  const { primitive } = view;
  document.title = primitive === undefined ? "hotpath-lab" : `${primitive} · hotpath-lab`;
  const next = document.createElement("div");
  next.innerHTML = (await contentOf(view)).text;
  for (const { id } of main.querySelectorAll("details[id][open]")) {
    const same = [...next.querySelectorAll("details")].find((details) => details.id === id);
    if (same !== undefined) same.open = true;
  }
  await draw(next);
  if (location.hash !== hash) return;
  const focused = document.activeElement?.id;
  head.innerHTML = header(index, primitive).text;
  main.replaceChildren(next);
  if (focused) document.getElementById(focused)?.focus();
}

/** Data that have the right form and make no sense are told of, instead of an empty page. Another view may be whole. */
async function contentOf(view: View): Promise<Html> {
  const { primitive } = view;
  if (primitive === undefined) return home(index);
  const entry = index.primitives.find((known) => known.primitive === primitive);
  if (entry === undefined) return html`<p role="alert">There is no primitive ${primitive} here.</p>`;
  const question = html`<p class="question">${entry.question}</p>`;
  const told = ({ message }: Error) => html`${question}<p role="alert">${message}</p>`;
  try {
    const data = await loadPrimitive(primitive);
    try {
      return html`${question}${shown(withOwn(data, own), view, index.repository)}`;
    } catch (fault) {
      return told(
        refusal(primitiveFile(primitive), `cannot be shown, and may be damaged: ${(fault as Error).message}`),
      );
    }
  } catch (fault) {
    return told(fault as Error);
  }
}

/** A pointer over a point is shown what it says; to readers of the screen a picture is one image with a description. */
async function draw(page: HTMLElement): Promise<void> {
  for (const frame of page.querySelectorAll<HTMLElement>(".picture")) {
    try {
      const embed = await loadVega();
      const actions = { export: true, source: true, compiled: false, editor: false };
      const spec = JSON.parse(frame.dataset.spec!) as { readonly description: string };
      const { view } = await embed(frame, spec, { renderer: "svg", actions });
      const image = frame.querySelector(".chart-wrapper")!;
      [image.role, image.ariaLabel] = ["img", spec.description];
      frame.querySelector("summary")!.ariaLabel = "Save this picture, or see its source";
      // That of the page is light or dark.
      await view.background("transparent").runAsync();
      view.addEventListener("mouseover", (_, item) => {
        // Its types do not know what an item says.
        frame.title = (item as { description?: string } | undefined)?.description ?? "";
      });
    } catch (fault) {
      frame.outerHTML = html`<p role="alert">${(fault as Error).message}</p>`.text;
    }
  }
}

/** Adds records of the reader's own, and shows the last. */
async function take(files: Iterable<File>): Promise<void> {
  const status = footer.querySelector("[role=status]")!;
  for (const file of files) {
    try {
      const mine = recordFrom(file.name, await textOf(file));
      const known = primitivesOf(mine).filter((name) =>
        index.primitives.some(({ primitive }) => primitive === name),
      );
      if (known.length === 0)
        throw new Error(`${file.name} holds nothing of a primitive that is published here`);
      own = [...own.filter((other) => other.file !== mine.file), mine];
      status.textContent = `${file.name} is shown among the records of ${known.join(", ")}; it has not left this browser`;
      const hash = hashOf(firstViewOf(mine, known[0]!));
      if (location.hash === hash) await show();
      location.hash = hash;
    } catch (fault) {
      status.textContent = (fault as Error).message;
    }
  }
}

/** What a record of the reader's own is looked at first in. */
function firstViewOf({ record }: RecordFile, primitive: string): View {
  const scenario = record.groups.find((group) => group.primitive === primitive)?.scenario;
  if (scenario === undefined) return { ...HOME, primitive };
  return { ...HOME, primitive, scenario };
}
