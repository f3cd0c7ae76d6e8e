import type { Wire } from '../wire/values.ts';
import type { OpenAiDialect } from './openai/openai-dialect.ts';
import type { Cloud } from './preset-environment.ts';
import type { DataPolicy } from './provider.ts';

interface PresetFacts {
  readonly name: string;
  /** The provider's slug in routing preferences, where it is not the preset's name. */
  readonly slug?: string | undefined;
  /** Null where every customer has an address of their own. */
  readonly baseUrl: string | null;
  /** For a user's own address: its customary variable, and the default path of an address without one. */
  readonly ownAddress?: { readonly env: string; readonly path: string; readonly example: string } | undefined;
  /** The customary environment variable of its key; null where none is needed. */
  readonly apiKeyEnv: string | null;
  /** Other customary variables of the key, read in this order when the first is not set. */
  readonly apiKeyAliases?: readonly string[] | undefined;
  /** The cloud whose identities it can be called with in place of a key; its address depends on the customer's place. */
  readonly cloud?: Cloud | undefined;
  /** Whose models Google's cloud serves at the address. */
  readonly publisher?: string | undefined;
  /** Where its customers make keys; absent where that is not known, or depends on the customer. */
  readonly keyPage?: string | undefined;
  /** False where there is no list of models, or one that does not show which can be called. */
  readonly listsModels: boolean;
  /** False where it serves other kinds of calls alone. Default: true. */
  readonly hasChat?: boolean | undefined;
  /** The provider's standard terms, as far as they are known. */
  readonly dataPolicy: DataPolicy;
}

/** A provider of the OpenAI wire, with how it differs from the others. */
export interface OpenAiPreset extends PresetFacts {
  readonly wire: 'openai';
  readonly dialect: OpenAiDialect;
}

/** A provider that is alone on its wire. */
export interface NativePreset extends PresetFacts {
  readonly wire: Exclude<Wire, 'openai'>;
}

/** A well-known provider as data: everything but the key. */
export type Preset = OpenAiPreset | NativePreset;
