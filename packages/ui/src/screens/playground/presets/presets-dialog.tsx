import type { Preset, PresetVersion } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import type { Caller } from '../../../api/call-api.ts';
import { presetsQuery, toPresetModel } from '../../../features/models/preset-models.ts';
import type { Experiment } from '../../../features/playground/experiment.ts';
import { formatCount } from '../../../format/quantity.ts';
import { formatRelative } from '../../../format/time.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/controls/button.tsx';
import { CopyButton } from '../../../parts/controls/copy-button.tsx';
import { ConfirmDialog, Dialog } from '../../../parts/dialogs/dialog.tsx';
import { NotLoaded } from '../../../parts/messages/loaded.tsx';
import { Loading } from '../../../parts/messages/states.tsx';
import { showToast } from '../../../parts/messages/toast-store.ts';
import { showControls } from '../../../parts/text/show-controls.ts';
import { newId } from '../use-open-experiment.ts';
import { presetsMessages } from './messages.ts';
import { openPreset } from './preset-draft.ts';
import { PresetHistory } from './preset-history.tsx';
import { deletePreset } from './preset-queries.ts';

interface PresetsDialogProps {
  readonly caller: Caller;
  /** The models of the columns that are open: for a preset without one. */
  readonly models: readonly string[];
  readonly onOpen: (experiment: Experiment) => void;
  readonly onUse: (preset: Preset) => void;
  readonly onClose: () => void;
}

/** The presets of a workspace, and the versions of each. */
export function PresetsDialog({ caller, models, onOpen, onUse, onClose }: PresetsDialogProps) {
  const t = presetsMessages();
  const [slug, setSlug] = useState<string | null>(null);
  const [deleting, setDeleting] = useState<Preset | null>(null);
  const query = useQuery(presetsQuery(caller));
  const { data } = query;
  const shown = data?.data.find((preset) => preset.slug === slug);
  const use = (preset: Preset): void => {
    onUse(preset);
    onClose();
  };
  const open = (preset: Preset, version: PresetVersion): void => {
    onOpen(openPreset(preset, version, models, newId));
    onClose();
  };
  return (
    <Dialog title={t.title} width="full" onClose={onClose} actions={<Button onClick={onClose}>{t.close}</Button>}>
      {data === undefined ? (
        query.error === null ? (
          <Loading what={t.list.what} />
        ) : (
          <NotLoaded what={t.list.what} failure={t.list.notLoaded} query={query} isFlush />
        )
      ) : shown !== undefined ? (
        <PresetHistory
          preset={shown}
          caller={caller}
          onBack={() => setSlug(null)}
          onUse={use}
          onOpen={(version) => open(shown, version)}
        />
      ) : (
        <div className="flex flex-col gap-3">
          <p className="max-w-prose text-sm text-ink-faint">{t.list.note}</p>
          {data.data.length === 0 ? (
            <p role="status" className="max-w-prose text-sm text-ink-soft">
              {t.list.none}
            </p>
          ) : (
            <ul className="flex flex-col divide-y divide-line">
              {data.data.map((preset) => (
                <PresetRow
                  key={preset.id}
                  preset={preset}
                  onUse={use}
                  onDetails={() => setSlug(preset.slug)}
                  onDelete={setDeleting}
                />
              ))}
            </ul>
          )}
          {data.data.length < data.total_count && (
            <p className="text-xs text-ink-faint">
              {t.list.shown(formatCount(data.data.length), formatCount(data.total_count))}
            </p>
          )}
        </div>
      )}
      {deleting !== null && (
        <ConfirmDialog
          title={showControls(t.list.deleteTitle(deleting.name))}
          action={t.list.delete}
          onConfirm={async () => {
            await deletePreset(deleting);
            showToast({ tone: 'neutral', title: showControls(t.list.deleted(deleting.name)) });
          }}
          onClose={() => setDeleting(null)}
        >
          <p>{t.list.deleteNote}</p>
        </ConfirmDialog>
      )}
    </Dialog>
  );
}

interface PresetRowProps {
  readonly preset: Preset;
  readonly onUse: (preset: Preset) => void;
  readonly onDetails: () => void;
  readonly onDelete: (preset: Preset) => void;
}

function PresetRow({ preset, onUse, onDetails, onDelete }: PresetRowProps) {
  const { list: t, statuses } = presetsMessages();
  const { slug, description, status, updated_at: changedAt } = preset;
  const name = showControls(preset.name);
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1.5 py-2.5">
      <div className="min-w-0 flex-1 basis-72">
        <p className="flex flex-wrap items-center gap-x-2">
          <span className="min-w-0 text-sm font-medium break-words">{name}</span>
          {status !== 'active' && <Badge tone="caution">{statuses[status]}</Badge>}
        </p>
        {description !== null && description !== '' && (
          <p className="line-clamp-2 text-sm break-words text-ink-soft">{showControls(description)}</p>
        )}
        <p className="flex flex-wrap items-center gap-x-2 text-xs text-ink-faint">
          <code className="min-w-0 font-mono break-all">{toPresetModel(slug)}</code>
          <CopyButton isIcon look="quiet" label={t.copy(name)} text={toPresetModel(slug)} />
          {t.changed(formatRelative(changedAt))}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button aria-label={t.useThe(name)} disabled={status !== 'active'} onClick={() => onUse(preset)}>
          {t.use}
        </Button>
        <Button look="quiet" aria-label={t.detailsOf(name)} onClick={onDetails}>
          {t.details}
        </Button>
        <Button look="danger" aria-label={t.deleteThe(name)} onClick={() => onDelete(preset)}>
          {t.delete}
        </Button>
      </div>
    </li>
  );
}
