import { useEffect, useRef, useState } from "preact/hooks";
import type { TopLevelSpec } from "vega-lite";
import { loadVega } from "./load.ts";

/**
 * A picture as the pages have it, drawn by vega from the same specification. A pointer over a point is shown what it says, as
 * a tooltip; `onPick` gets the datum of what is clicked. A table beside each picture says the same, for readers of the
 * screen and of the keyboard: to them the picture is one image with a description.
 */
export function Picture({ spec, onPick }: { spec: TopLevelSpec; onPick?: (datum: unknown) => void }) {
  const frame = useRef<HTMLDivElement>(null);
  const pick = useRef(onPick);
  pick.current = onPick;
  const [fault, setFault] = useState<string>();
  const text = JSON.stringify(spec);
  // Every rendering makes a specification, which seldom differs from the one before.
  useEffect(() => {
    const drawing = loadVega().then(async ({ vega, vegaLite }) => {
      const container = frame.current;
      if (container === null) return undefined;
      const view = new vega.View(vega.parse(vegaLite.compile(spec).spec), { renderer: "svg", container });
      // That of the page is light or dark.
      view.background("transparent");
      view.addEventListener("mouseover", (_, item) => {
        // Its types do not know what an item says.
        const { tooltip, description } = (item ?? {}) as { tooltip?: string; description?: string };
        container.title = tooltip ?? description ?? "";
      });
      view.addEventListener("click", (_, item) => pick.current?.(item?.datum));
      return await view.runAsync();
    });
    drawing.catch(({ message }: Error) => setFault(message));
    return () => void drawing.then((view) => view?.finalize()).catch(() => undefined);
  }, [text]);
  return (
    <>
      {fault !== undefined && <p role="alert">{fault}</p>}
      {/* Vega gives what it draws in a role of its own, of a document. */}
      <div class="picture" role="img" aria-label={String(spec.description)}>
        <div ref={frame} />
      </div>
    </>
  );
}
