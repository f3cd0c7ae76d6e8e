import type { CatalogModel } from '../catalog/catalog.ts';
import type { Generation } from '../wire/generations/generation.ts';
import type { CallBound } from './bound.ts';
import type { CallNeeds } from './needs.ts';
import type { CallPreferences, RequestedModels } from './preferences.ts';
import type { RequestText } from './text-map.ts';

/** Kinds of calls, by the member of a provider that serves them: `api_type` on the wire, output modality of models. */
export const CALL_KINDS = {
  chat: { apiType: 'completions', output: 'text' },
  video: { apiType: 'video', output: 'video' },
  embeddings: { apiType: 'embeddings', output: 'embeddings' },
} as const satisfies Record<string, { readonly apiType: Generation['api_type']; readonly output: string }>;

export type CallKindName = keyof typeof CALL_KINDS;

export function kindOfRecord({ api_type: apiType }: Pick<Generation, 'api_type'>): CallKindName {
  const names = Object.keys(CALL_KINDS) as CallKindName[];
  return names.find((name) => CALL_KINDS[name].apiType === apiType) ?? 'chat';
}

/** The kind of call that a model is for. A model without declared output is a chat model. */
export function kindOfModel({ definition }: CatalogModel): CallKindName {
  const outputs = definition.architecture?.output_modalities ?? [];
  const names = Object.keys(CALL_KINDS) as CallKindName[];
  return names.find((name) => name !== 'chat' && outputs.includes(CALL_KINDS[name].output)) ?? 'chat';
}

/** Names that the caller gives in the request. */
export interface RequestLabels {
  readonly session: string | null;
  /** The caller's own user. */
  readonly externalUser: string | null;
  readonly trace: Readonly<Record<string, unknown>> | null;
}

/** Pure functions for what differs between kinds: shared code reads requests only by them (docs/decisions/0024). */
export interface CallKind<Request> {
  readonly name: CallKindName;
  modelsOf(request: Request): RequestedModels;
  preferencesOf(request: Request): CallPreferences;
  /** Returns the caller's own names for the record and for the choice of an endpoint. */
  labelsOf(request: Request): RequestLabels;
  needsOf(request: Request): CallNeeds;
  /** Takes time proportional to the request, so it is called only where a budget applies. */
  boundOf(request: Request): CallBound;
  /** Copies a request with each of its texts replaced by the result of `change`, in a fixed order. */
  mapTexts(request: Request, change: (text: RequestText) => string): Request;
}
