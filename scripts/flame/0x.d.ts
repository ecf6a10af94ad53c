/** What is used of 0x 6.0.0, which has no types of its own. */
declare module "0x" {
  /** Renders a profile to `<name>.html` beside it; resolves with the page's `file:` URL. */
  export default function zeroEks(options: {
    readonly visualizeCpuProfile: string;
    /** What relative paths are relative to. */
    readonly workingDir: string;
    readonly name: string;
    readonly title: string;
  }): Promise<string>;
}
