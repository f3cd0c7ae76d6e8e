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
