import type { Awaitable } from '../foundation/awaitable.ts';
import type { Preset, PresetVersion, PresetWithVersion } from '../wire/presets.ts';
import type { Repository } from './rows.ts';

/** Presets of all workspaces with their versions. The narrower question is absent where the rows are in memory. */
export interface PresetRepository extends Repository<StoredPreset> {
  /** Those of a workspace, oldest first. Reads no versions. */
  listHeads?(workspaceId: string): Awaitable<readonly Preset[]>;
}

/** A preset with all its versions, in their order. */
export interface StoredPreset {
  /** The id of the row (`presetRowId`), as slugs are unique within their workspace alone. */
  readonly id: string;
  readonly workspaceId: string;
  readonly preset: Preset;
  readonly versions: readonly PresetVersion[];
}

/** A slug has no space in it. */
export const presetRowId = (workspaceId: string, slug: string): string => `${workspaceId} ${slug}`;

/** The version that calls use; undefined where there is none. */
export const designatedVersionOf = ({ preset, versions }: StoredPreset): PresetVersion | undefined =>
  versions.find(({ id }) => id === preset.designated_version_id);

export const toPresetWithVersion = (stored: StoredPreset): PresetWithVersion => ({
  ...stored.preset,
  designated_version: designatedVersionOf(stored) ?? null,
});
