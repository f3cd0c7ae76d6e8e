/** What the gateway is called in the settings of tools. */
export const NAME = 'Model Gateway';

/** The id of the gateway as a provider, in the settings of tools that have a list of them. */
export const ID = 'model-gateway';

/** The variable that holds the key, for tools that read it from one. */
export const KEY_VARIABLE = 'MODEL_GATEWAY_API_KEY';

/** What to know of a snippet that belongs into a file. */
export const MERGE = 'If the file is there already, add these entries to those it has.';

/** The same path below the user's folder on every system. */
export const inHome = (path: string) => ({
  linux: `~/${path}`,
  macos: `~/${path}`,
  windows: `%USERPROFILE%\\${path.replaceAll('/', '\\')}`,
});
