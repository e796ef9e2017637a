/** Options of the plugin. */
export interface Options {
  /** The program; `tiergate` of `PATH` by default. */
  binary?: string;
  /** Arguments of `tiergate run`, such as `['--save', 'head.json']`. */
  args?: string[];
}

/** A plugin by which `vitest bench` measures with tiergate. */
export default function tiergate(options?: Options): { name: string };
