import type { CatalogModel, Endpoint } from '../catalog/catalog.ts';
import type { MadeMedia, Prices } from '../catalog/prices.ts';
import type { Unchecked } from '../foundation/parse.ts';
import { CALL_KIND_NAMES, CALL_KINDS, type CallKindName, kindOfOutput } from '../wire/call-kinds.ts';
import type { ChatMessage } from '../wire/chat-request.ts';
import type { DataRegion } from '../wire/fields.ts';
import type { Generation } from '../wire/generation.ts';
import type { ProviderPreferences } from '../wire/routing.ts';
import type { RequestText } from './texts.ts';

export { CALL_KINDS, type CallKindName };

export function kindOfRecord({ api_type: apiType }: Pick<Generation, 'api_type'>): CallKindName {
  return CALL_KIND_NAMES.find((name) => CALL_KINDS[name].apiType === apiType) ?? 'chat';
}

/** The kind of call that a model is for. */
export function kindOfModel({ definition }: CatalogModel): CallKindName {
  return kindOfOutput(definition.architecture?.output_modalities ?? []);
}

/** Names that the caller gives in the request. */
export interface RequestLabels {
  readonly session: string | null;
  /** The caller's own user. */
  readonly externalUser: string | null;
  readonly trace: Readonly<Record<string, unknown>> | null;
}

/**
 * The differences between kinds of calls: pure functions over the request. Routing, budgets, guardrails, rate limits
 * and generations access a request only through them (docs/decisions/0024).
 */
export interface CallKind<Request> {
  readonly name: CallKindName;
  modelsOf(request: Request): RequestedModels;
  preferencesOf(request: Request): CallPreferences;
  /** Returns the caller's own names for the record and for the choice of an endpoint. */
  labelsOf(request: Request): RequestLabels;
  /** Copies a request that names no session, with this one. */
  withSession(request: Request, session: string): Request;
  /** Returns what a router chooses a model by. Without it, routers choose none. */
  routerInputOf?(request: Request): RouterInput;
  needsOf(request: Request): CallNeeds;
  /** Takes time proportional to the request, so it is called only where a budget applies. */
  boundOf(request: Request): CallBound;
  /** Copies a request with each of its texts replaced by the result of `change`, in a fixed order. */
  mapTexts(request: Request, change: (text: RequestText) => string): Request;
  /** Returns the request as it is stored. Absent where that is the request itself. */
  storedOf?(request: Request): unknown;
  /** Whether the response is wanted as a stream. Absent for kinds without one; conversations say it themselves. */
  isStreamed?(request: Request): boolean;
  /** Names texts of the request in a form that filters cannot read; null for none. Absent where there never are any. */
  unreadableIn?(request: Request): string | null;
  /** Returns the messages of a conversation, in which an agent may go in circles. Absent for kinds without one. */
  turnsOf?(request: Request): readonly ChatMessage[];
}

/** The request's preferences for the choice of endpoints. */
export interface CallPreferences {
  readonly provider: ProviderPreferences;
  /** The tier of service by name: `priority`, `flex`. */
  readonly serviceTier?: string | null | undefined;
  /** Whether endpoints are sorted model by model or all together. */
  readonly partition: 'model' | 'none';
  /** Calls of one caller with the same key stay on one endpoint. */
  readonly cacheKey?: string | null | undefined;
  /**
   * Returns the conversation's opening, which leads calls without a key to the same endpoint, where cached prompts cost
   * less. Called only where load is balanced; absent for kinds without a conversation, which have no affinity.
   */
  readonly openingOf?: (() => string) | undefined;
}

/** The models that a request names. */
export interface RequestedModels {
  readonly model?: string | null | undefined;
  /** Further ones, in the order they are to be tried. */
  readonly models?: readonly string[] | null | undefined;
}

/** The part of a request that a router reads. */
export interface RouterInput {
  /** Text that the model is to be chosen for. */
  readonly text: string;
  /** The caller's options for routers, not checked yet. */
  readonly options: Unchecked;
  /** Where the options stand in the request: `plugins.0`. Absent without any. */
  readonly optionsPath?: string | undefined;
}

/** Requirements of a call for the endpoint that serves it. */
export interface CallNeeds {
  /** Parameters as lists of supported parameters name them. */
  readonly parameters: readonly string[];
  /** Kinds of input beside text. */
  readonly inputModalities: readonly string[];
  /** Kinds of output beside text. */
  readonly outputModalities: readonly string[];
  /** Lower bound of the prompt's length: an estimate that is too high would exclude endpoints for good. */
  readonly minPromptTokens: number;
  /** Largest number of output tokens; 0 when the request has no limit. */
  readonly outputTokens: number;
  /** The endpoints for which the prompt may be shortened. */
  readonly compression: Compression;
}

/** Endpoints that receive a shortened prompt when it is too long for them: all, those with a small context, or none. */
export type Compression = 'always' | 'small' | 'never';

/** Endpoints of at most this context have compression switched on by default (wire.md 9.2). */
const SMALL_CONTEXT = 8192;

/** Text that is hard to compress has about four characters a token, text that is easy may have six. */
const MOST_CHARACTERS_A_TOKEN = 6;

/** The least number of tokens that so many characters can be. */
export const minTokensOf = (characters: number): number => Math.floor(characters / MOST_CHARACTERS_A_TOKEN);

/** Whether a prompt is shortened for an endpoint with this context, should it have to be. */
export function isCompressed(contextLength: number | null, compression: Compression): contextLength is number {
  if (contextLength === null || compression === 'never') return false;
  return compression === 'always' || contextLength <= SMALL_CONTEXT;
}

/** The most that a call may use or cost, as far as its request shows. */
export type CallBound = TokenBound | CostBound;

/** The largest usage of a call that is charged by tokens. */
export interface TokenBound {
  /** Tokens of everything that is text. */
  readonly textTokens: number;
  /** Tokens of images and audio; null when only an endpoint's own limit bounds them. */
  readonly mediaTokens: number | null;
  readonly images: number;
  readonly hasAudio: boolean;
  /** A completion in audio is requested. */
  readonly asksForAudio?: boolean;
  /** Tokens of the output; null when the request has no limit, and the endpoint's own applies. */
  readonly maxTokens: number | null;
  /** Rejected tokens of a prediction are charged in addition to the output. */
  readonly predictedTokens: number;
  /** Searches of a call that ranks documents; absent for every other. */
  readonly searchUnits?: number;
  /** Images to be made; absent for none. */
  readonly made?: MadeMedia | undefined;
}

/** The largest cost of a call that is charged by something else. */
export interface CostBound {
  /** In billionths of a dollar; null where a price is missing. */
  worstCaseNanoUsd(prices: Prices): number | null;
}

const encoder = new TextEncoder();

/** Bounds the tokens of a JSON value from above: a token is at least one byte. */
export function mostTokensOf(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length;
}

/** One more rule, from outside of routing. */
export interface EndpointConstraint {
  /** Name of the rule that excludes the endpoint, e.g. `allowed_providers`. */
  readonly rule: string;
  /** The guardrail that contains the rule, if any. */
  readonly guardrailId?: string | undefined;
  /** `region` is the one whose host the request came to; null for none. */
  readonly excludes: (endpoint: Endpoint, region: CallRegion | null) => boolean;
  /** The same rule for the providers behind an endpoint that is a gateway; absent for a rule that says nothing of them. */
  readonly onward?: ((endpoint: Endpoint) => OnwardDemand | null) | undefined;
}

/** A demand on the providers behind a gateway. */
export interface OnwardDemand {
  readonly ignore?: readonly string[];
  readonly zdr?: true;
  readonly training?: false;
}

/** The region of the host that a call came in by. */
export interface CallRegion {
  /** As endpoints name it: no endpoint outside of it serves the call. */
  readonly name: string;
  /** Which of the regions of the public API it is. */
  readonly dataRegion: DataRegion;
}
