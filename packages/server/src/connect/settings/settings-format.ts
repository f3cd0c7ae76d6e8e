/** Where an entry stands in a file of settings: the names of its tables, then its own; a number within a list. */
export type SettingsPath = readonly (string | number)[];

/** A format of settings files whose texts are changed in place, so that comments and layout stay where they can. */
export interface SettingsFormat {
  /** The settings as plain data; a text without any is an empty table. Throws `SettingsFileError` with the place of the mistake. */
  readonly parse: (text: string) => unknown;
  /** Sets an entry; tables above it are made where they are missing. */
  readonly set: (text: string, path: SettingsPath, value: unknown) => string;
  /** Adds an element to the end of a list, which is made where it is missing. */
  readonly append: (text: string, path: SettingsPath, value: unknown) => string;
  readonly remove: (text: string, path: SettingsPath) => string;
}

/** A file of settings that is left as it is. Its message says why, and what to do. */
export class SettingsFileError extends Error {
  override readonly name = 'SettingsFileError';
}

/** The names of a path as people write them. */
export const showPath = (path: SettingsPath): string => path.join('.');
