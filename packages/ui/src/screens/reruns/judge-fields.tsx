import { Checkbox, Folded, issueFor } from '../../parts/controls/field.tsx';
import { LabelledInput, LabelledText } from '../../parts/controls/labelled.tsx';
import { toggled } from '../../parts/toggled.ts';
import { rerunFormMessages } from './form-messages.ts';
import { CODE_JUDGES } from './rerun-draft.ts';
import { type DraftFieldProps, GROUP } from './set-fields.tsx';
import { useChatModels } from './target-fields.tsx';

/** Who says which completion is the better one: code by checkboxes, and a model by a rubric. */
export function JudgeFields({ draft, onChange, issues, error }: DraftFieldProps) {
  const t = rerunFormMessages();
  const models = useChatModels();
  const issue = issues.judges ?? issueFor(error, 'judges');
  return (
    <fieldset className={GROUP}>
      <legend className="px-1 text-sm font-semibold">{t.judges}</legend>
      <p className="text-xs text-ink-faint">{t.judgesHint}</p>
      <div className="grid gap-x-3 gap-y-1 sm:grid-cols-2">
        {CODE_JUDGES.map((judge) => (
          <Checkbox
            key={judge}
            label={t.codeJudges[judge].label}
            hint={t.codeJudges[judge].hint}
            checked={draft.judges.includes(judge)}
            onChange={() => onChange({ judges: toggled(draft.judges, judge) })}
          />
        ))}
      </div>
      <LabelledInput
        label={t.pattern}
        hint={t.patternHint}
        spellCheck={false}
        className="field font-mono text-xs"
        value={draft.pattern}
        onChange={(pattern) => onChange({ pattern })}
      />
      <Folded title={t.modelJudge} hasIssue={issues.judges !== undefined}>
        <div className="mt-3 flex flex-col gap-3">
          <LabelledInput
            label={t.judgeModel}
            suggestions={models.map(({ value }) => value)}
            spellCheck={false}
            autoComplete="off"
            value={draft.judgeModel}
            onChange={(judgeModel) => onChange({ judgeModel })}
          />
          <LabelledText
            label={t.rubric}
            hint={t.rubricHint}
            rows={3}
            placeholder={t.rubricExample}
            value={draft.rubric}
            onChange={(rubric) => onChange({ rubric })}
          />
        </div>
      </Folded>
      {issue !== undefined && <p className="text-xs text-bad">{issue}</p>}
    </fieldset>
  );
}
