/** What a tool is connected with. */
export interface Connection {
  /** Ends with `/api/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: ConnectedModel;
}

/** The model that is written into the settings of a tool. */
export interface ConnectedModel {
  readonly id: string;
  /** Some tools have to be told; a careful guess where the gateway does not know. */
  readonly contextTokens: number;
  readonly outputTokens: number;
  readonly readsImages: boolean;
  readonly callsTools: boolean;
}

/** The form of the API that a tool speaks, of those that this gateway has an address for. */
export type Wire = 'chat-completions' | 'messages' | 'responses' | 'gemini';

/** The systems that tools run on. */
export type System = 'linux' | 'macos' | 'windows';

/** The languages of snippets, as highlighters call them. */
export type Language = 'json' | 'yaml' | 'toml' | 'python' | 'javascript' | 'bash' | 'powershell';

/** A text to paste, into a file or a terminal. */
export interface SnippetStep {
  readonly type: 'snippet';
  /** What to do with it: a sentence without its full stop. */
  readonly title: string;
  /** The file that it belongs into, where it is always the same one. */
  readonly file?: Readonly<Record<System, string>>;
  /** The variable that names another folder for that file, where the tool reads one. */
  readonly folderVariable?: string;
  /** Entries at the root of that file that stay as they are where it has them already. */
  readonly keeps?: readonly string[];
  readonly language: Language;
  /** The systems that it is for; all where it is absent. */
  readonly systems?: readonly System[];
  readonly toText: (connection: Connection) => string;
}

/** Values to paste one by one into the tool's own settings. */
export interface FieldsStep {
  readonly type: 'fields';
  readonly title: string;
  /** How the settings are reached: the names of menus and pages. */
  readonly menu: readonly string[];
  readonly toFields: (connection: Connection) => readonly (readonly [label: string, value: string])[];
}

export type Step = SnippetStep | FieldsStep;

/** A tool that calls models, and how it is told to call this gateway. */
export interface Client {
  readonly id: string;
  readonly name: string;
  /** What it is, in a few words. */
  readonly about: string;
  readonly kind: 'coding' | 'chat' | 'library' | 'terminal';
  readonly wire: Wire;
  /**
   * Where its calls come from, if that is not simply the machine of its user: `cloud` cannot reach private addresses;
   * `container` has a localhost of its own.
   */
  readonly callsFrom?: 'cloud' | 'container';
  readonly steps: readonly Step[];
  /** How it names the models of the gateway. */
  readonly modelNames: string;
  /** What to know beside that, a sentence each. */
  readonly notes: readonly string[];
  readonly docsUrl: string;
}

/** The steps of a client on one system, in their order. */
export const stepsFor = ({ steps }: Client, system: System): readonly Step[] =>
  steps.filter((step) => step.type === 'fields' || step.systems === undefined || step.systems.includes(system));

/** Whether it keeps its settings in a file, which `model-gateway connect` can write. */
export const hasSettingsFile = ({ steps }: Client): boolean =>
  steps.some((step) => step.type === 'snippet' && step.file !== undefined);

/** Whether something that a client is told differs between systems. */
export const differsBySystem = ({ steps }: Client): boolean =>
  steps.some(
    (step) =>
      step.type === 'snippet' &&
      (step.systems !== undefined || (step.file !== undefined && new Set(Object.values(step.file)).size > 1)),
  );
