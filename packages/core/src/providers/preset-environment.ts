/** Environment variables by their names. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What is looked up in the environment for a preset. */
export interface PresetVariables {
  /** Null where every customer has an address of their own. */
  readonly baseUrl: string | null;
  /** Without a `baseUrl`: the usual variable of the address, and the path that is added if it has none. */
  readonly ownAddress?: { readonly env: string; readonly path: string; readonly example: string } | undefined;
  /** Null where no key is needed. */
  readonly apiKeyEnv: string | null;
  readonly apiKeyAliases?: readonly string[] | undefined;
}

/** The value of a variable, without space around it; undefined where it is not set, or empty. */
export function readVariable(env: Environment, name: string): string | undefined {
  // A value read from a file often ends in a line break, which no key contains.
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}

/** A preset's key from the environment; undefined when none of its variables is set. */
export function keyOfPreset({ apiKeyEnv, apiKeyAliases = [] }: PresetVariables, env: Environment): string | undefined {
  if (apiKeyEnv === null) return undefined;
  for (const name of [apiKeyEnv, ...apiKeyAliases]) {
    const key = readVariable(env, name);
    if (key !== undefined) return key;
  }
  return undefined;
}

/** A preset's address: its own, or the customer's from the environment; undefined when that is unset or no address. */
export function addressOfPreset({ baseUrl, ownAddress }: PresetVariables, env: Environment): string | undefined {
  if (baseUrl !== null || ownAddress === undefined) return baseUrl ?? undefined;
  const url = URL.parse(readVariable(env, ownAddress.env) ?? '');
  const isFit = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '';
  if (!isFit) return undefined;
  return url.pathname === '/' ? url.origin + ownAddress.path : url.origin + url.pathname;
}
