import type { Connection, SnippetStep } from './client.ts';

/** What the gateway is called in the settings of tools. */
export const NAME = 'Model Gateway';

/** The id of the gateway as a provider, in the settings of tools that have a list of them. */
export const ID = 'model-gateway';

/** The variable that holds the key, for tools that read it from one. */
export const KEY_VARIABLE = 'MODEL_GATEWAY_API_KEY';

/** What to know of a snippet that belongs into a file. */
export const MERGE = 'If the file already exists, add these entries to it.';

/** The same path below the user's folder on every system. */
export const inHome = (path: string) => ({
  linux: `~/${path}`,
  macos: `~/${path}`,
  windows: `%USERPROFILE%\\${path.replaceAll('/', '\\')}`,
});

/*
 * Values of snippets as literals of their language. Names of models come from providers, so a snippet must not become
 * something else by what is in them.
 */

/** A text of JSON, which is also one of JavaScript, Python and YAML. */
export const quoteJson = (text: string): string => JSON.stringify(text);

/** A text of TOML: that of JSON, but for one control character that JSON leaves as it is. */
export const quoteToml = (text: string): string => JSON.stringify(text).replaceAll('\u007F', String.raw`\u007f`);

/** One word of a shell, whatever is in it. */
export const quoteShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A text of PowerShell, in which nothing is replaced. Typographic quotes end a text there, too. */
export const quotePowerShell = (text: string): string => `'${text.replaceAll(/['‘’‚‛]/g, '$&$&')}'`;

/** JSON as people write it, with a line break at its end. */
export const toJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** A text for the shell of each system. */
export const inEachShell = (
  title: string,
  { bash, powershell }: Readonly<Record<'bash' | 'powershell', SnippetStep['toText']>>,
  powershellTitle = title,
): readonly SnippetStep[] => [
  { type: 'snippet', title, language: 'bash', systems: ['linux', 'macos'], toText: bash },
  { type: 'snippet', title: powershellTitle, language: 'powershell', systems: ['windows'], toText: powershell },
];

/** The variables of a tool, with their values. */
type Variables = (connection: Connection) => readonly (readonly [name: string, value: string])[];

/** Environment variables for the shell of each system. */
export const toVariableSteps = (
  toVariables: Variables,
  title: string,
  powershellTitle?: string,
): readonly SnippetStep[] => {
  const write = (toLine: (name: string, value: string) => string) => (connection: Connection) =>
    toVariables(connection)
      .map(([name, value]) => toLine(name, value))
      .join('');
  return inEachShell(
    title,
    {
      bash: write((name, value) => `export ${name}=${quoteShell(value)}\n`),
      powershell: write((name, value) => `$env:${name} = ${quotePowerShell(value)}\n`),
    },
    powershellTitle,
  );
};

/** The key in an environment variable. */
export const toKeySteps = (variable: string, title: string, powershellTitle?: string): readonly SnippetStep[] =>
  toVariableSteps(({ apiKey }) => [[variable, apiKey]], title, powershellTitle);
