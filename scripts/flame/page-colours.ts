/**
 * What 0x's page needs before its own script, so that every frame can be seen and read.
 *
 * 0x multiplies a frame's saturation by its own samples in percent. From some percent on, the colours that it computes
 * are brighter than a screen can show. A browser shows them as white on its white page. 0x has no option for them. Its
 * frames are translucent and their names black, which is made for a white page. On a dark page hot frames are too dark
 * to read.
 */
export const PAGE_COLOURS = `
<style>:root { --background: white; }</style>
<script>(${keepFillsVisible})(CanvasRenderingContext2D.prototype)</script>
`;

/** Runs in the page, so that it uses nothing from around it. `context` is what every canvas draws with. */
function keepFillsVisible(context: object): void {
  /** The last colour of 0x's legend: a frame with a tenth of all samples of its own. */
  const hottest = { fill: "rgba(574,43,166, 0.8440000000000001)", brightest: 574 };
  const visible = (fill: unknown) => {
    const [, channels, alpha] = /^rgba\((\d+,\d+,\d+), ([\d.]+)\)$/.exec(String(fill)) ?? [];
    if (channels === undefined) return fill;
    const rgb = channels.split(",").map(Number);
    const brightest = Math.max(...rgb);
    if (brightest > hottest.brightest) return hottest.fill;
    // Dimmed as a whole it keeps its hue; a browser would cut off the brightest part of it.
    const dimmed = rgb.map((channel) => Math.round(channel * Math.min(1, 255 / brightest)));
    return `rgba(${dimmed.join()}, ${alpha})`;
  };
  const { set, ...fillStyle } = Object.getOwnPropertyDescriptor(context, "fillStyle")!;
  Object.defineProperty(context, "fillStyle", {
    ...fillStyle,
    set(fill: unknown) {
      set!.call(this, visible(fill));
    },
  });
}
