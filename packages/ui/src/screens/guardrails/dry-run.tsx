import { Play, Square } from 'lucide-react';
import { type FormEvent, useEffect, useEffectEvent, useState } from 'react';

import { Button } from '../../parts/controls/button.tsx';
import { Checkbox, Choice, Field, issueFor } from '../../parts/controls/field.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { DryRunProgress } from './dry-run-progress.tsx';
import { DryRunResult } from './dry-run-result.tsx';
import { DRY_RUN_SPANS, type DryRunScope, toDryRunFilter } from './dry-run-scope.ts';
import { useDryRun } from './use-dry-run.ts';

interface DryRunProps {
  readonly guardrailId: string;
  /** What is not saved yet. */
  readonly change: Record<string, unknown>;
  /** Hashes of the keys that it holds for. */
  readonly keys: readonly string[];
  /** Begins by itself when this grows. */
  readonly startCount: number;
}

const NO_NOTE = { span: '7d', from: '', to: '', where: '', isOwnKeys: false } as const;

/** What the guardrail, as it stands in the form, would have done to the calls of a span. */
export function DryRun({ guardrailId, change, keys, startCount }: DryRunProps) {
  const [scope, setScope] = useState<DryRunScope>(NO_NOTE);
  const run = useDryRun();
  const isChanged = Object.keys(change).length > 0;
  const isRunning = run.state === 'running';
  const begin = (): void => {
    const filter = toDryRunFilter(scope, keys);
    void run.start({ guardrail_id: guardrailId, filter, ...(isChanged && { change }) });
  };
  const beginNow = useEffectEvent(begin);
  useEffect(() => {
    if (startCount > 0) beginNow();
  }, [startCount]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isRunning) run.stop();
    else begin();
  };
  const set = (part: Partial<DryRunScope>): void => setScope({ ...scope, ...part });
  return (
    <div className="scroll-thin flex h-full flex-col gap-4 overflow-y-auto p-4">
      {isChanged && (
        <p className="rounded-lg bg-caution-soft p-2.5 text-sm text-caution">
          What is not saved yet is tried, too, and stays unsaved.
        </p>
      )}
      <form onSubmit={submit} className="flex flex-col gap-3">
        <div className="flex flex-wrap items-center gap-2">
          <Choice label="Calls of" value={scope.span} options={DRY_RUN_SPANS} onChange={(span) => set({ span })} />
          <span className="flex-1" />
          {/* One button for both, so that the focus stays on it. */}
          <Button
            type="submit"
            look={isRunning ? 'plain' : 'primary'}
            icon={isRunning ? <Square size={14} aria-hidden /> : <Play size={14} aria-hidden />}
          >
            {isRunning ? 'Stop' : run.state === 'idle' ? 'Run' : 'Run again'}
          </Button>
        </div>
        {scope.span === 'own' && (
          <div className="grid grid-cols-2 gap-3">
            {(['from', 'to'] as const).map((end) => (
              <Field key={end} label={end === 'from' ? 'From' : 'Until'} error={issueFor(run.error, `filter.${end}`)}>
                {(control) => (
                  <input
                    {...control}
                    type="datetime-local"
                    className="field"
                    value={scope[end]}
                    onChange={(event) => set({ [end]: event.target.value })}
                  />
                )}
              </Field>
            ))}
          </div>
        )}
        <Field
          label="Only calls that meet"
          hint="Conditions as in the filter of Generations, such as model:acme/* cost>0.05; empty for all"
          error={issueFor(run.error, 'filter.where') ?? issueFor(run.error, 'where')}
        >
          {(control) => (
            <input
              {...control}
              spellCheck={false}
              className="field font-mono text-xs"
              value={scope.where}
              onChange={(event) => set({ where: event.target.value })}
            />
          )}
        </Field>
        {keys.length > 0 && (
          <Checkbox
            label={
              keys.length === 1
                ? 'Only calls of the key it holds for'
                : `Only calls of the ${keys.length} keys it holds for`
            }
            checked={scope.isOwnKeys}
            onChange={(event) => set({ isOwnKeys: event.target.checked })}
          />
        )}
      </form>
      {run.state === 'idle' && (
        <p className="text-sm text-ink-faint">
          Looks at every call as it was stored, newest first. No provider is called, and nothing is changed.
        </p>
      )}
      {run.error !== null && <ErrorPanel error={run.error} title="It could not be run to its end" />}
      {run.state !== 'idle' && run.state !== 'failed' && <DryRunProgress state={run.state} line={run.line} />}
      {run.line !== null && <DryRunResult line={run.line} examples={run.examples} isFinal={run.state !== 'running'} />}
    </div>
  );
}
