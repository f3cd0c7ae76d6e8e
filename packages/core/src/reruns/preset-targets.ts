import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import { PRESET_FORMS, withoutRivals } from '../chat/presets/preset-forms.ts';
import { uniteTools } from '../chat/presets/unite-tools.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Unchecked } from '../foundation/parse.ts';
import { designatedVersionOf, presetRowId } from '../stores/presets.ts';
import type { JobOwner, Store } from '../stores/store.ts';
import { refuseField } from '../wire/fields.ts';
import type { PresetVersion } from '../wire/presets.ts';
import type { AskedRerunTarget, RerunTarget } from '../wire/reruns.ts';
import type { FormatName } from '../wire/routing-rules.ts';

interface PresetParts {
  readonly store: Pick<Store, 'presets'>;
}

/**
 * The targets with their models, and with the version of each preset that all their calls use, whatever becomes of the
 * preset meanwhile. Throws `invalid_request` for a preset that the owner does not have, and a target without a model.
 */
export async function resolveTargets(
  targets: readonly AskedRerunTarget[],
  owner: JobOwner,
  parts: PresetParts,
): Promise<RerunTarget[]> {
  const resolved: RerunTarget[] = [];
  for (const [index, target] of targets.entries()) {
    const path = `targets.${index}`;
    const version = await findVersion(target, owner, parts);
    if (target.preset !== undefined && version === undefined) {
      const which = target.preset_version === undefined ? '' : ` with a version ${target.preset_version}`;
      throw refuseField(`${path}.preset`, `there is no preset "${target.preset}"${which} in the workspace that pays`);
    }
    const model = target.model ?? version?.config['model'];
    if (typeof model !== 'string') throw refuseField(`${path}.model`, 'must name a model: the preset has none');
    resolved.push({ ...target, model, ...(version !== undefined && { preset_version: version.version }) });
  }
  return resolved;
}

async function findVersion(
  { preset, preset_version: wanted }: Pick<AskedRerunTarget, 'preset' | 'preset_version'>,
  { workspaceId = DEFAULT_WORKSPACE_ID }: JobOwner,
  { store }: PresetParts,
): Promise<PresetVersion | undefined> {
  const stored = preset === undefined ? undefined : await store.presets.get(presetRowId(workspaceId, preset));
  if (stored === undefined) return undefined;
  return wanted === undefined ? designatedVersionOf(stored) : stored.versions.find(({ version }) => version === wanted);
}

/** The preset of a target; undefined where it has none. Throws where it was deleted. */
export async function readTargetPreset(
  target: RerunTarget,
  owner: JobOwner,
  parts: PresetParts,
): Promise<PresetVersion | undefined> {
  const version = await findVersion(target, owner, parts);
  if (target.preset === undefined || version !== undefined) return version;
  throw new GatewayError('invalid_request', `The preset "${target.preset}" is gone`);
}

/** Settings that lead a call elsewhere than to its model, which a rerun leaves out. */
const LEFT_OUT: ReadonlySet<string> = new Set(['models', 'plugins', 'route', 'transforms']);

/**
 * A request with a preset put over it: the settings take the place of those of the request, and its system prompt that of the
 * request's. Where a request names a preset it is the other way round, but then nothing could be compared.
 */
export function withPreset(body: Unchecked, format: FormatName, { config }: Pick<PresetVersion, 'config'>): Unchecked {
  const form = PRESET_FORMS[format];
  if (form === undefined)
    throw new GatewayError('invalid_request', `A request of the format ${format} takes no preset`);
  const all = Object.entries(form.toFields(config)).filter(([name]) => !LEFT_OUT.has(name));
  const { tools, ...fields } = Object.fromEntries(all);
  const united = uniteTools(body['tools'], tools);
  return { ...withoutRivals(body, fields), ...fields, ...(united !== undefined && { tools: united }) };
}
