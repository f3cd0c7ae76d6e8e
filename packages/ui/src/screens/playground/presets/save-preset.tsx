import { useMutation, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';

import type { Caller } from '../../../api/call-api.ts';
import { presetsQuery, slugOfModel } from '../../../features/models/preset-models.ts';
import type { Experiment } from '../../../features/playground/experiment.ts';
import { findProblems } from '../../../features/playground/setup/setup.ts';
import { issueFor } from '../../../parts/controls/field.tsx';
import { LabelledInput } from '../../../parts/controls/labelled.tsx';
import { Dialog, FormActions } from '../../../parts/dialogs/dialog.tsx';
import { UnsavedPanel } from '../../../parts/messages/error-panel.tsx';
import { showToast } from '../../../parts/messages/toast-store.ts';
import { showControls } from '../../../parts/text/show-controls.ts';
import { playgroundMessages } from '../messages.tsx';
import { presetsMessages } from './messages.ts';
import { toPresetBody } from './preset-draft.ts';
import { savePreset } from './preset-queries.ts';
import { PresetText } from './preset-text.tsx';

const MAX_SLUG = 100;

interface SavePresetProps {
  readonly experiment: Experiment;
  readonly caller: Caller;
  readonly onClose: () => void;
}

/** Keeps the settings of the playground as a preset, or as the next version of one. */
export function SavePreset({ experiment, caller, onClose }: SavePresetProps) {
  const { save: t } = presetsMessages();
  const formId = useId();
  const [slug, setSlug] = useState('');
  const { data: presets } = useQuery(presetsQuery(caller));
  const save = useMutation({
    mutationFn: (body: object) => savePreset(slug.trim(), body, caller),
    onSuccess: ({ name, designated_version: version }) => {
      showToast({ tone: 'good', title: showControls(t.saved(name, version?.version ?? 1)) });
      onClose();
    },
  });
  const [problem] = Object.entries(findProblems(experiment.setup));
  const body = problem === undefined ? toPresetBody(experiment) : undefined;
  const stop =
    problem !== undefined
      ? playgroundMessages().problems.settings(problem[0], problem[1])
      : slugOfModel(body?.model ?? '') === undefined
        ? undefined
        : t.isPreset;
  if (body === undefined || stop !== undefined) {
    return (
      <Dialog title={t.title} onClose={onClose}>
        <p className="text-sm">{stop}</p>
      </Dialog>
    );
  }
  const { messages, ...settings } = body;
  const isTaken = presets?.data.some((preset) => preset.slug === slug.trim()) === true;
  return (
    <Dialog
      title={t.title}
      onClose={onClose}
      actions={<FormActions formId={formId} submit={t.submit} isBusy={save.isPending} onClose={onClose} />}
    >
      <form
        id={formId}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(body);
        }}
      >
        <LabelledInput
          label={t.slug}
          hint={t.slugHint}
          required
          data-first-focus
          maxLength={MAX_SLUG}
          spellCheck={false}
          error={issueFor(save.error, 'slug')}
          suggestions={presets?.data.map((preset) => preset.slug)}
          value={slug}
          onChange={setSlug}
        />
        <p role="status" className="text-sm text-caution empty:hidden">
          {isTaken ? t.next : ''}
        </p>
        <PresetText config={settings} systemPrompt={messages[0]?.content ?? null} />
        <p className="text-xs text-ink-faint">{t.leftOut}</p>
        {save.error !== null && (
          <UnsavedPanel error={save.error} title={t.notSaved} onRetry={() => save.mutate(body)} />
        )}
      </form>
    </Dialog>
  );
}
