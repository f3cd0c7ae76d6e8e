/** Environment variables by their names. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The clouds whose identities providers can be called with, in place of a key. */
export type Cloud = 'aws' | 'google' | 'azure';

/** The place of a customer in a cloud. */
export interface CloudPlace {
  /** `eu-central-1`, or a location of Google's: `europe-west4`, `global`. */
  readonly region?: string | undefined;
  /** Google's id of a project. */
  readonly project?: string | undefined;
}

/** What is looked up in the environment for a preset. */
export interface PresetVariables {
  readonly cloud?: Cloud | undefined;
  /** Whose models Google's address leads to. */
  readonly publisher?: string | undefined;
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

const firstOf = (env: Environment, names: readonly string[]): string | undefined => {
  for (const name of names) {
    const value = readVariable(env, name);
    if (value !== undefined) return value;
  }
  return undefined;
};

/** Where a customer is in a cloud, by the configuration or the usual variables. */
export const placeOfCloud = (cloud: Cloud | undefined, place: CloudPlace, env: Environment): CloudPlace => ({
  region: place.region ?? firstOf(env, REGION_VARIABLES[cloud ?? 'azure']),
  project: place.project ?? firstOf(env, PROJECT_VARIABLES),
});

const REGION_VARIABLES: Readonly<Record<Cloud, readonly string[]>> = {
  aws: ['AWS_REGION', 'AWS_DEFAULT_REGION'],
  google: ['GOOGLE_CLOUD_LOCATION', 'GOOGLE_CLOUD_REGION', 'CLOUD_ML_REGION'],
  azure: [],
};
const PROJECT_VARIABLES = ['GOOGLE_CLOUD_PROJECT', 'ANTHROPIC_VERTEX_PROJECT_ID'];

/** What becomes a part of a host or a path. */
const FIT_FOR_ADDRESS = /^[a-z\d][a-z\d:.-]*$/;

/**
 * A preset's address: its own, or the customer's from the environment or their place in a cloud; undefined when that is
 * unset or no address.
 */
export function addressOfPreset(
  { baseUrl, ownAddress, cloud, publisher }: PresetVariables,
  env: Environment,
  place: CloudPlace = {},
): string | undefined {
  if (cloud === 'aws' || cloud === 'google') {
    const { region = '', project = '' } = placeOfCloud(cloud, place, env);
    if (!FIT_FOR_ADDRESS.test(region)) return undefined;
    if (cloud === 'aws') return `https://bedrock-runtime.${region}.amazonaws.com`;
    if (!FIT_FOR_ADDRESS.test(project)) return undefined;
    return `https://${toVertexHost(region)}/v1/projects/${project}/locations/${region}/publishers/${publisher}`;
  }
  if (baseUrl !== null || ownAddress === undefined) return baseUrl ?? undefined;
  const url = URL.parse(readVariable(env, ownAddress.env) ?? '');
  const isFit = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '';
  if (!isFit) return undefined;
  return url.pathname === '/' ? url.origin + ownAddress.path : url.origin + url.pathname;
}

/** A continent has a host of another form, and the whole world has one without a location. */
function toVertexHost(location: string): string {
  if (location === 'global') return 'aiplatform.googleapis.com';
  const isContinent = location === 'eu' || location === 'us';
  return isContinent ? `aiplatform.${location}.rep.googleapis.com` : `${location}-aiplatform.googleapis.com`;
}

/** What a customer's own address needs, as a part of a sentence after "needs". `cloud` is a field of the config file. */
export function describeMissingAddress(
  { cloud, ownAddress }: PresetVariables,
  { hasConfig }: { readonly hasConfig: boolean },
): string {
  if (cloud === 'aws') return `a region: ${hasConfig ? '"region" in "cloud", or ' : ''}AWS_REGION`;
  if (cloud === 'google') {
    const fields = hasConfig ? '"project" and "region" in "cloud", or ' : '';
    return `a project and a location: ${fields}GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION`;
  }
  return `${ownAddress?.env}, an address like ${ownAddress?.example}`;
}
