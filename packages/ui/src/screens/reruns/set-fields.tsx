import { Upload } from 'lucide-react';
import { useRef } from 'react';

import { PERIOD_NAMES, toPeriodTexts } from '../../format/days.ts';
import { formatCount } from '../../format/quantity.ts';
import { formatMoment } from '../../format/time.ts';
import { Button } from '../../parts/controls/button.tsx';
import { issueFor } from '../../parts/controls/field.tsx';
import { LabelledInput, LabelledSelect } from '../../parts/controls/labelled.tsx';
import { rerunFormMessages } from './form-messages.ts';
import { countRequests, type DraftIssues, type RerunDraft } from './rerun-draft.ts';

export interface DraftFieldProps {
  readonly draft: RerunDraft;
  readonly onChange: (part: Partial<RerunDraft>) => void;
  readonly issues: DraftIssues;
  /** What the gateway said of the form. */
  readonly error: unknown;
}

export const GROUP = 'flex min-w-0 flex-col gap-3 rounded-lg border border-line p-3';

/** Which calls are run again: those that a filter finds, these, or the requests of a file. */
export function SetFields({ draft, onChange, issues, error }: DraftFieldProps) {
  const t = rerunFormMessages();
  const setError = issues.set ?? issueFor(error, 'set') ?? issueFor(error, 'set.ndjson');
  if (draft.upload !== null) {
    const count = countRequests(draft.upload);
    return (
      <fieldset className={GROUP}>
        <legend className="px-1 text-sm font-semibold">{t.calls}</legend>
        <p className="text-sm break-words">{t.uploaded(draft.upload.name, count, formatCount(count))}</p>
        {setError !== undefined && <p className="text-xs text-bad">{setError}</p>}
        <Button className="self-start" onClick={() => onChange({ upload: null })}>
          {t.useFilter}
        </Button>
      </fieldset>
    );
  }
  if (draft.ids.length > 0) {
    return (
      <fieldset className={GROUP}>
        <legend className="px-1 text-sm font-semibold">{t.calls}</legend>
        <p className="text-sm">{t.chosen(draft.ids.length)}</p>
        <ul className="font-mono text-xs break-all text-ink-soft">
          {draft.ids.map((id) => (
            <li key={id}>{id}</li>
          ))}
        </ul>
        {setError !== undefined && <p className="text-xs text-bad">{setError}</p>}
        <Button className="self-start" onClick={() => onChange({ ids: [] })}>
          {t.useFilter}
        </Button>
      </fieldset>
    );
  }
  return (
    <fieldset className={GROUP}>
      <legend className="px-1 text-sm font-semibold">{t.calls}</legend>
      <LabelledInput
        label={t.filter}
        hint={t.filterHint}
        error={setError}
        data-first-focus
        spellCheck={false}
        autoComplete="off"
        placeholder={t.filterExample}
        value={draft.filter}
        onChange={(filter) => onChange({ filter })}
      />
      <div className="grid grid-cols-2 gap-3">
        <LabelledSelect
          label={t.span}
          value={draft.range}
          options={[
            ['', toSpanText(draft)],
            ...PERIOD_NAMES.map((period) => [period, toPeriodTexts(period).label] as const),
          ]}
          onChange={(range) => onChange({ range })}
        />
        <LabelledInput
          label={t.limit}
          hint={t.limitHint}
          type="number"
          min={1}
          max={5000}
          value={draft.limit}
          onChange={(limit) => onChange({ limit })}
        />
      </div>
      <UploadButton onChange={onChange} />
    </fieldset>
  );
}

/** Takes a file in the place of the filter. What is wrong with a line of it, the gateway says. */
function UploadButton({ onChange }: Pick<DraftFieldProps, 'onChange'>) {
  const t = rerunFormMessages();
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <input
        ref={input}
        type="file"
        accept=".ndjson,.jsonl,application/x-ndjson"
        aria-label={t.upload}
        className="sr-only"
        tabIndex={-1}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file !== undefined) void file.text().then((text) => onChange({ upload: { name: file.name, text } }));
          target.value = '';
        }}
      />
      <Button icon={<Upload size={14} />} onClick={() => input.current?.click()}>
        {t.upload}
      </Button>
      <span className="text-xs text-ink-faint">{t.uploadHint}</span>
    </div>
  );
}

/** The span that the list had where it was no period by name. */
function toSpanText({ from, to }: RerunDraft): string {
  if (from === undefined && to === undefined) return rerunFormMessages().anyTime;
  return [from, to].map((at) => (at === undefined ? '' : formatMoment(at))).join(' – ');
}
