/** The file that the job is about, before and after. */
export const BROKEN = 'console.log(40 - 2);\n';
export const MENDED = 'console.log(40 + 2);\n';
export const PROMPT = 'Read sum.mjs, mend it so that it adds, run it with node, and say what it prints.';
export const RUN = 'node sum.mjs';

/** Where an agent works, where its gateway is, and what it is to do. */
export interface Place {
  readonly home: string;
  readonly folder: string;
  /** `http://127.0.0.1:41234` */
  readonly gateway: string;
  readonly key: string;
  readonly model: string;
  readonly prompt: string;
}

/** One tool call of the job, in the words of the agent that has the tool; a text is the input of a custom tool. */
export type ToolCall = readonly [name: string, args: object | string];

/** A coding agent as people install it, set up in one of the ways that it has. */
export interface Program {
  readonly name: string;
  /** Of the file with its transcript. */
  readonly slug: string;
  /** Its command in `node_modules/.bin`. */
  readonly command: string;
  /** Id of the model, where the agent decides by it. */
  readonly model?: string;
  /** Addresses that it asks for whatever is set; it does without them. */
  readonly asksFor?: readonly string[];
  /** Once a word of a response has been seen it does not ask again. */
  readonly stopsAtBreak?: true;
  /** The job in its own tools: read, edit, run. */
  readonly job: (folder: string) => readonly ToolCall[];
  /** Writes its configuration; returns its arguments and what it needs in its environment. */
  readonly prepare: (place: Place) => {
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
}
