import type { Preset, PresetVersion } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { useState } from 'react';

import type { Caller } from '../../../api/call-api.ts';
import { formatFull, formatRelative } from '../../../format/time.ts';
import { Badge } from '../../../parts/badge.tsx';
import { classNames } from '../../../parts/class-names.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { NotLoaded } from '../../../parts/messages/loaded.tsx';
import { Loading } from '../../../parts/messages/states.tsx';
import { showFailure, showToast } from '../../../parts/messages/toast-store.ts';
import { showControls } from '../../../parts/text/show-controls.ts';
import { presetsMessages } from './messages.ts';
import { changePreset, presetVersionsQuery } from './preset-queries.ts';
import { PresetText } from './preset-text.tsx';

interface PresetHistoryProps {
  readonly preset: Preset;
  readonly caller: Caller;
  readonly onBack: () => void;
  readonly onUse: (preset: Preset) => void;
  readonly onOpen: (version: PresetVersion) => void;
}

/** A preset with its versions, one of which calls use. */
export function PresetHistory({ preset, caller, onBack, onUse, onOpen }: PresetHistoryProps) {
  const { list, history: t, statuses } = presetsMessages();
  const query = useQuery(presetVersionsQuery(preset.slug, caller));
  const isActive = preset.status === 'active';
  const change = async (body: Parameters<typeof changePreset>[1]): Promise<void> => {
    try {
      await changePreset(preset, body);
      if (body.designated_version !== undefined) {
        showToast({ tone: 'good', title: t.changed(body.designated_version) });
      }
    } catch (error) {
      showFailure(list.notChanged, error);
    }
  };
  return (
    <div className="flex flex-col gap-3">
      <Button look="quiet" className="self-start" icon={<ArrowLeft size={15} />} onClick={onBack}>
        {t.all}
      </Button>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h3 className="flex min-w-0 flex-1 basis-64 flex-wrap items-center gap-2 text-base font-semibold break-words">
          {showControls(preset.name)}
          {!isActive && <Badge tone="caution">{statuses[preset.status]}</Badge>}
        </h3>
        <Button disabled={!isActive} onClick={() => onUse(preset)}>
          {list.use}
        </Button>
        <Button look="quiet" onClick={() => void change({ status: isActive ? 'disabled' : 'active' })}>
          {isActive ? list.disable : list.activate}
        </Button>
      </div>
      {query.data !== undefined ? (
        <Versions
          versions={query.data}
          usedId={preset.designated_version_id}
          onOpen={onOpen}
          onDesignate={({ version }) => void change({ designated_version: version })}
        />
      ) : query.error === null ? (
        <Loading what={list.what} />
      ) : (
        <NotLoaded what={list.what} failure={t.notLoaded} query={query} isFlush />
      )}
    </div>
  );
}

interface VersionsProps {
  /** Newest first. */
  readonly versions: readonly PresetVersion[];
  /** Id of the version that calls use. */
  readonly usedId: string | null;
  readonly onOpen: (version: PresetVersion) => void;
  readonly onDesignate: (version: PresetVersion) => void;
}

function Versions({ versions, usedId, onOpen, onDesignate }: VersionsProps) {
  const t = presetsMessages();
  const [chosenId, setChosenId] = useState(usedId);
  const version = versions.find(({ id }) => id === chosenId) ?? versions[0];
  if (version === undefined) return null;
  return (
    <div className="grid items-start gap-4 md:grid-cols-[15rem_minmax(0,1fr)]">
      <ul
        aria-label={t.history.label}
        className="scroll-thin flex max-h-56 flex-col gap-1 overflow-y-auto md:max-h-[60dvh]"
      >
        {versions.map(({ id, version: number, created_at: createdAt }) => (
          <li key={id}>
            <button
              type="button"
              aria-pressed={id === version.id}
              onClick={() => setChosenId(id)}
              className={classNames(
                'flex w-full flex-col gap-0.5 rounded-md px-2.5 py-2 text-left',
                id === version.id ? 'bg-accent-soft' : 'hover:bg-raised',
              )}
            >
              <span className="flex items-center gap-2 text-sm font-medium">
                {t.version(number)}
                {id === usedId && <Badge tone="good">{t.inUse}</Badge>}
              </span>
              <span title={formatFull(createdAt)} className="text-xs text-ink-soft">
                {formatRelative(createdAt)}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <section aria-label={t.version(version.version)} className="flex min-w-0 flex-col gap-3">
        <div className="flex flex-wrap gap-2">
          <Button look="primary" onClick={() => onOpen(version)}>
            {t.history.open}
          </Button>
          {version.id !== usedId && <Button onClick={() => onDesignate(version)}>{t.history.use}</Button>}
        </div>
        <PresetText config={version.config} systemPrompt={version.system_prompt} />
      </section>
    </div>
  );
}
