import type { Prompt, PromptVersion } from '@model-gateway/core/wire';
import { useMutation, useQuery } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { useState } from 'react';

import { DiffText } from '../../../features/playground/diff/diff-text.tsx';
import { formatFull, formatRelative } from '../../../format/time.ts';
import { Badge } from '../../../parts/badge.tsx';
import { classNames } from '../../../parts/class-names.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { issueFor } from '../../../parts/controls/field.tsx';
import { LabelledInput } from '../../../parts/controls/labelled.tsx';
import { Select } from '../../../parts/controls/select.tsx';
import { UnsavedPanel } from '../../../parts/messages/error-panel.tsx';
import { LastChange } from '../../../parts/messages/last-change.tsx';
import { NotLoaded } from '../../../parts/messages/loaded.tsx';
import { Loading } from '../../../parts/messages/states.tsx';
import { showFailure } from '../../../parts/messages/toast-store.ts';
import { PlainText } from '../../../parts/text/plain-text.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { promptsMessages } from './messages.tsx';
import { changePrompt, promptQuery } from './prompt-queries.ts';

interface PromptHistoryProps {
  readonly id: string;
  readonly onBack: () => void;
  readonly onOpen: (prompt: Prompt, version: PromptVersion) => void;
}

/** The versions of a prompt, one of them with its differences from another; an earlier one can be current again. */
export function PromptHistory({ id, onBack, onOpen }: PromptHistoryProps) {
  const { bar, list, history: t } = promptsMessages();
  const query = useQuery(promptQuery(id));
  const { data: prompt } = query;
  return (
    <div className="flex flex-col gap-3">
      <Button look="quiet" className="self-start" icon={<ArrowLeft size={15} />} onClick={onBack}>
        {t.all}
      </Button>
      {prompt !== undefined ? (
        <Versions prompt={prompt} onOpen={(version) => onOpen(prompt, version)} />
      ) : query.error === null ? (
        <Loading what={list.what} />
      ) : (
        <NotLoaded what={list.what} failure={bar.notLoaded} query={query} isFlush />
      )}
    </div>
  );
}

interface VersionsProps {
  readonly prompt: Prompt;
  readonly onOpen: (version: PromptVersion) => void;
}

function Versions({ prompt, onOpen }: VersionsProps) {
  const t = promptsMessages();
  const [chosen, setChosen] = useState(prompt.current_version);
  /** Undefined for the one before it. */
  const [comparedWith, setComparedWith] = useState<number>();
  const [restored, setRestored] = useState<{ version: number; before: number } | null>(null);
  const { versions, current_version: current } = prompt;
  const version = versions.find((one) => one.version === chosen) ?? versions[0];
  if (version === undefined) return null;
  const base = versions.find((one) => one.version === (comparedWith ?? version.version - 1));
  const restore = async (next: number, change: typeof restored): Promise<void> => {
    try {
      await changePrompt(prompt.id, { current_version: next });
      setRestored(change);
    } catch (error) {
      showFailure(t.history.notChanged, error);
    }
  };
  return (
    <>
      <PromptName prompt={prompt} />
      <div className="grid items-start gap-4 md:grid-cols-[15rem_minmax(0,1fr)]">
        <ul
          aria-label={t.history.label}
          className="scroll-thin flex max-h-56 flex-col gap-1 overflow-y-auto md:max-h-[60dvh]"
        >
          {versions.map((one) => (
            <VersionItem
              key={one.version}
              version={one}
              isCurrent={one.version === current}
              isChosen={one.version === version.version}
              onChoose={() => {
                setChosen(one.version);
                setComparedWith(undefined);
              }}
            />
          ))}
        </ul>
        <section aria-label={t.version(version.version)} className="flex min-w-0 flex-col gap-3">
          <div className="flex flex-wrap items-center gap-2">
            <Button look="primary" onClick={() => onOpen(version)}>
              {t.history.open}
            </Button>
            {version.version !== current && (
              <Button onClick={() => void restore(version.version, { version: version.version, before: current })}>
                {t.history.restore}
              </Button>
            )}
            {versions.length > 1 && (
              <Select
                label={t.history.compare}
                value={String(base?.version ?? '')}
                options={[
                  ['', t.history.nothing],
                  ...versions
                    .filter((one) => one !== version)
                    .map((one) => {
                      const number = String(one.version);
                      return [number, `${t.history.compare} ${t.history.versionInText(one.version)}`] as const;
                    }),
                ]}
                onChange={(number) => setComparedWith(Number(number))}
              />
            )}
          </div>
          <VersionText version={version} base={base} />
        </section>
      </div>
      <LastChange
        text={restored === null ? undefined : t.history.restored(restored.version)}
        onUndo={() => restored !== null && void restore(restored.before, null)}
      />
    </>
  );
}

/** The name and the description, and how both are changed. */
function PromptName({ prompt }: { prompt: Prompt }) {
  const { cancel, history: t } = promptsMessages();
  const [isEdited, setIsEdited] = useState(false);
  const [name, setName] = useState(prompt.name);
  const [description, setDescription] = useState(prompt.description ?? '');
  const save = useMutation({
    mutationFn: () => changePrompt(prompt.id, { name, description: description.trim() === '' ? null : description }),
    onSuccess: () => setIsEdited(false),
  });
  if (!isEdited) {
    return (
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <div className="min-w-0 flex-1 basis-64">
          <h3 className="text-base font-semibold break-words">{showControls(prompt.name)}</h3>
          {prompt.description !== null && (
            <p className="max-w-prose text-sm break-words text-ink-soft">{showControls(prompt.description)}</p>
          )}
        </div>
        <Button
          look="quiet"
          onClick={() => {
            setName(prompt.name);
            setDescription(prompt.description ?? '');
            setIsEdited(true);
          }}
        >
          {t.edit}
        </Button>
      </div>
    );
  }
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <LabelledInput label={t.name} required error={issueFor(save.error, 'name')} value={name} onChange={setName} />
        <LabelledInput
          label={t.description}
          error={issueFor(save.error, 'description')}
          value={description}
          onChange={setDescription}
        />
      </div>
      <div className="flex gap-2">
        <Button type="submit" isBusy={save.isPending}>
          {t.save}
        </Button>
        <Button look="quiet" onClick={() => setIsEdited(false)}>
          {cancel}
        </Button>
      </div>
      {save.error !== null && <UnsavedPanel error={save.error} onRetry={() => save.mutate()} />}
    </form>
  );
}

interface VersionItemProps {
  readonly version: PromptVersion;
  readonly isCurrent: boolean;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function VersionItem({ version, isCurrent, isChosen, onChoose }: VersionItemProps) {
  const t = promptsMessages();
  const { note, created_at: createdAt, created_by: createdBy } = version;
  return (
    <li>
      <button
        type="button"
        aria-pressed={isChosen}
        onClick={onChoose}
        className={classNames(
          'flex w-full flex-col gap-0.5 rounded-md px-2.5 py-2 text-left',
          isChosen ? 'bg-accent-soft' : 'hover:bg-raised',
        )}
      >
        <span className="flex items-center gap-2 text-sm font-medium">
          {t.version(version.version)}
          {isCurrent && <Badge tone="good">{t.current}</Badge>}
        </span>
        {note !== null && <span className="text-sm break-words text-ink-soft">{showControls(note)}</span>}
        <span title={formatFull(createdAt)} className="text-xs break-words text-ink-soft">
          {showControls(t.byWhom(formatRelative(createdAt), createdBy))}
        </span>
      </button>
    </li>
  );
}

interface VersionTextProps {
  readonly version: PromptVersion;
  /** What it is compared with. */
  readonly base: PromptVersion | undefined;
}

/** A version part by part: its messages, then its model and parameters. */
function VersionText({ version, base }: VersionTextProps) {
  const t = promptsMessages();
  const than = base === undefined ? '' : t.history.versionInText(base.version);
  const [parts, baseParts] = [toParts(version), base === undefined ? [] : toParts(base)];
  const count = Math.max(parts.length, baseParts.length);
  return (
    <div className="flex flex-col gap-3">
      {Array.from({ length: count }, (_, at) => {
        const [part, before] = [parts[at], baseParts[at]];
        return (
          <section key={at} aria-label={(part ?? before)?.title} className="rounded-lg border border-line p-3">
            <h4 className="mb-1 flex items-center gap-2 text-xs text-ink-faint">
              {(part ?? before)?.title}
              {part === undefined && <Badge tone="bad">{t.history.absent}</Badge>}
              {part !== undefined && base !== undefined && before === undefined && (
                <Badge tone="good">{t.history.isNew(than)}</Badge>
              )}
            </h4>
            {base === undefined ? (
              <PlainText text={part?.text ?? ''} />
            ) : (
              <DiffText isPlain before={before?.text ?? ''} after={part?.text ?? ''} than={than} />
            )}
          </section>
        );
      })}
    </div>
  );
}

interface VersionPart {
  readonly title: string;
  readonly text: string;
}

/** The settings first, so that they stand beside each other however many messages there are. */
function toParts({ model, parameters, messages }: PromptVersion): VersionPart[] {
  const t = promptsMessages();
  const settings = [model ?? t.history.anyModel, ...(parameters === null ? [] : [JSON.stringify(parameters, null, 2)])];
  return [
    { title: t.history.settings, text: settings.join('\n') },
    ...messages.map(({ role, content }) => ({ title: t.roles[role], text: content })),
  ];
}
