import { useQuery } from '@tanstack/react-query';
import { BookMarked, X } from 'lucide-react';
import { useId } from 'react';

import { ApiError } from '../../../api/api-error.ts';
import type { Experiment, PromptLink } from '../../../features/playground/experiment.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/controls/button.tsx';
import { LabelledText } from '../../../parts/controls/labelled.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { promptsMessages } from './messages.tsx';
import { isChanged } from './prompt-draft.ts';
import { promptQuery } from './prompt-queries.ts';

interface PromptBarProps {
  readonly experiment: Experiment;
  /** The names that stand in its texts. */
  readonly variables: readonly string[];
  readonly onChange: (change: Partial<Experiment>) => void;
  readonly onSave: () => void;
  readonly onVersions: (id: string) => void;
}

/** The kept prompt that the playground has open, and a field for each of its variables. */
export function PromptBar({ experiment, variables, onChange, onSave, onVersions }: PromptBarProps) {
  const { prompt: link } = experiment;
  return (
    <div className="card flex flex-col">
      {link !== undefined && (
        <LinkLine
          link={link}
          experiment={experiment}
          onSave={onSave}
          onVersions={onVersions}
          onDetach={() => onChange({ prompt: undefined })}
        />
      )}
      {variables.length > 0 && (
        <VariableFields
          names={variables}
          values={experiment.variables ?? {}}
          onChange={(values) => onChange({ variables: values })}
        />
      )}
    </div>
  );
}

interface LinkLineProps extends Pick<PromptBarProps, 'experiment' | 'onSave' | 'onVersions'> {
  readonly link: PromptLink;
  readonly onDetach: () => void;
}

function LinkLine({ link, experiment, onSave, onVersions, onDetach }: LinkLineProps) {
  const t = promptsMessages();
  const { data: prompt, error } = useQuery(promptQuery(link.id));
  const version = prompt?.versions.find((one) => one.version === link.version);
  const isGone = error instanceof ApiError && error.status === 404;
  const isOther = version !== undefined && isChanged(experiment, version);
  return (
    <section aria-label={t.bar.label} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1.5">
      <BookMarked size={15} className="shrink-0 text-ink-faint" />
      <p className="flex min-w-0 flex-1 basis-60 flex-wrap items-center gap-x-2 gap-y-0.5 text-sm">
        <span className="min-w-0 font-medium break-words">{showControls(prompt?.name ?? link.name)}</span>
        {isGone ? (
          <span className="text-caution">{t.bar.gone}</span>
        ) : (
          <>
            <span className="text-ink-soft">{t.version(link.version)}</span>
            {prompt !== undefined && prompt.current_version !== link.version && (
              <span className="text-ink-faint">({t.bar.newer(prompt.current_version)})</span>
            )}
            {isOther && (
              <Badge tone="caution" title={t.bar.changedHint}>
                {t.bar.changed}
              </Badge>
            )}
          </>
        )}
      </p>
      <div className="ml-auto flex items-center gap-1">
        {!isGone && (
          <>
            <Button look="quiet" disabled={!isOther} onClick={onSave}>
              {t.bar.save}
            </Button>
            <Button look="quiet" aria-haspopup="dialog" onClick={() => onVersions(link.id)}>
              {t.bar.versions}
            </Button>
          </>
        )}
        <Button look="quiet" aria-label={t.bar.detach} title={t.bar.detach} icon={<X size={15} />} onClick={onDetach} />
      </div>
    </section>
  );
}

interface VariableFieldsProps {
  readonly names: readonly string[];
  readonly values: Readonly<Record<string, string>>;
  readonly onChange: (values: Readonly<Record<string, string>>) => void;
}

function VariableFields({ names, values, onChange }: VariableFieldsProps) {
  const { variables: t } = promptsMessages();
  const titleId = useId();
  const valueOf = (name: string): string => (Object.hasOwn(values, name) ? (values[name] ?? '') : '');
  const open = names.filter((name) => valueOf(name) === '');
  return (
    <section aria-labelledby={titleId} className="flex flex-col gap-2 border-t border-line p-3 first:border-t-0">
      <h2 id={titleId} className="text-sm font-medium">
        {t.label}
      </h2>
      <div className="grid items-end grid-cols-[repeat(auto-fill,minmax(min(100%,14rem),1fr))] gap-3">
        {names.map((name) => (
          <LabelledText
            key={name}
            label={name}
            fieldClass="min-w-0 break-words"
            rows={Math.min(6, Math.max(1, valueOf(name).split('\n').length))}
            value={valueOf(name)}
            onChange={(value) => onChange({ ...values, [name]: value })}
          />
        ))}
      </div>
      <p role="status" className="text-xs text-caution empty:hidden">
        {open.length > 0 && t.open(open.map((name) => `{{${name}}}`).join(', '), open.length)}
      </p>
    </section>
  );
}
