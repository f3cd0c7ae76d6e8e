import { DEFAULT_WORKSPACE_ID } from '../../auth/keys.ts';
import type { CalledPreset } from '../../calls/model-call.ts';
import { isRecord, type Unchecked } from '../../foundation/parse.ts';
import type { Principal } from '../../http/request.ts';
import { designatedVersionOf, presetRowId } from '../../stores/presets.ts';
import type { Store } from '../../stores/store.ts';
import { refuseField } from '../../wire/fields.ts';
import type { FormatName } from '../../wire/routing-rules.ts';
import { isPresetSlug } from '../../wire/values.ts';
import { joinPreset, PRESET_FORMS } from './preset-forms.ts';

/** Stands before the slug in `model`, alone or behind the name of a model. */
const MARK = '@preset/';

/** Whether a request names a preset. Costs one look at two fields for those that do not. */
export const namesPreset = (format: FormatName, body: unknown): body is Unchecked =>
  isRecord(body) &&
  ((typeof body['model'] === 'string' && body['model'].includes(MARK)) ||
    (typeof body['preset'] === 'string' && body['preset'] !== '')) &&
  PRESET_FORMS[format] !== undefined;

/** The preset of one call. */
export interface UsedPreset {
  readonly called: CalledPreset;
  /** The request without the name of the preset. */
  readonly request: Unchecked;
  /** Puts the preset before what a request says itself. */
  readonly join: (request: Unchecked) => Unchecked;
}

/**
 * Finds the preset that a request names, in the workspace of its caller. Throws `invalid_request` for one that is not
 * there, is not active or has no version, and for two names that differ.
 */
export async function findPreset(
  format: FormatName,
  body: Unchecked,
  { principal, parts }: { readonly principal: Principal; readonly parts: { readonly store: Pick<Store, 'presets'> } },
): Promise<UsedPreset> {
  const { slug, field, request } = takeName(body);
  const shown = JSON.stringify(slug.slice(0, 100));
  const workspaceId = principal.workspaceId ?? DEFAULT_WORKSPACE_ID;
  const stored = isPresetSlug(slug) ? await parts.store.presets.get(presetRowId(workspaceId, slug)) : undefined;
  if (stored === undefined) throw refuseField(field, `there is no preset ${shown} in the workspace of this key`);
  const { id, status } = stored.preset;
  if (status !== 'active')
    throw refuseField(field, `the preset ${shown} is ${status}: use another, or have it activated`);
  const version = designatedVersionOf(stored);
  if (version === undefined) throw refuseField(field, `the preset ${shown} has no version yet`);
  const called = { id, slug, version: version.version };
  return { called, request, join: (own) => joinPreset(format, own, version) };
}

/** The request with a preset that its model names in the field `preset`: another model leaves it the preset. */
export function withPresetApart(request: Unchecked): Unchecked {
  const { model } = request;
  const at = typeof model === 'string' ? model.indexOf(MARK) : -1;
  return typeof model !== 'string' || at === -1 ? request : { ...request, preset: model.slice(at + MARK.length) };
}

interface NamedPreset {
  readonly slug: string;
  /** Where it is named. */
  readonly field: 'model' | 'preset';
  readonly request: Unchecked;
}

function takeName({ preset, ...request }: Unchecked): NamedPreset {
  const named = typeof preset === 'string' && preset !== '' ? preset : undefined;
  const { model, ...others } = request;
  const at = typeof model === 'string' ? model.indexOf(MARK) : -1;
  if (typeof model !== 'string' || at === -1) return { slug: named ?? '', field: 'preset', request };
  const slug = model.slice(at + MARK.length);
  if (named !== undefined && named !== slug) throw refuseField('preset', 'must not differ from the preset in model');
  return { slug, field: 'model', request: at === 0 ? others : { ...others, model: model.slice(0, at) } };
}
