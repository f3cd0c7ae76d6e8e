import type { GuardrailDryRunLine } from '@model-gateway/core/wire';
import { Play, Square } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';

import { openApi } from '../../api/call-api.ts';
import { readJsonLines } from '../../api/read-stream.ts';
import { isPeriod, type PeriodName, toPeriodStart, toPeriodTexts } from '../../format/days.ts';
import { formatCount } from '../../format/quantity.ts';
import { formatMoment, fromLocalMoment, LAST_LOCAL_MOMENT } from '../../format/time.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Checkbox, Choice, issueFor } from '../../parts/controls/field.tsx';
import { LabelledInput } from '../../parts/controls/labelled.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { DryRunResult } from './dry-run-result.tsx';
import { trialMessages } from './trial-messages.ts';

interface DryRunProps {
  readonly dryRun: ReturnType<typeof useDryRun>;
  /** How many keys the guardrail is assigned to. */
  readonly keyCount: number;
}

/** What the guardrail, as the form has it, would have done to the requests of a period. */
export function DryRun({ dryRun, keyCount }: DryRunProps) {
  const t = trialMessages().dryRun;
  const { run } = dryRun;
  return (
    <div className="flex flex-col gap-4">
      <ScopeForm dryRun={dryRun} keyCount={keyCount} />
      {run.state === 'idle' && <p className="text-sm text-ink-faint">{t.idle}</p>}
      {run.error !== null && <ErrorPanel error={run.error} title={t.failed} />}
      {run.state !== 'idle' && run.state !== 'failed' && <DryRunProgress state={run.state} line={run.line} />}
      {run.line !== null && <DryRunResult line={run.line} examples={run.examples} isFinal={run.state !== 'running'} />}
    </div>
  );
}

/** Which calls are looked at. */
function ScopeForm({ dryRun, keyCount }: Pick<DryRunProps, 'dryRun' | 'keyCount'>) {
  const { scope, change, run, start, stop } = dryRun;
  const t = trialMessages().dryRun;
  const isRunning = run.state === 'running';
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isRunning) stop();
        else void start();
      }}
      className="flex flex-col gap-3"
    >
      <div className="flex flex-wrap items-center gap-2">
        <Choice label={t.span} value={scope.span} options={toSpanLabels()} onChange={(span) => change({ span })} />
        <span className="flex-1" />
        {/* One button for both, so that the focus stays on it. */}
        <Button
          type="submit"
          look={isRunning ? 'plain' : 'primary'}
          icon={isRunning ? <Square size={14} /> : <Play size={14} />}
        >
          {isRunning ? t.stop : run.state === 'idle' ? t.run : t.runAgain}
        </Button>
      </div>
      {scope.span === 'own' && (
        <div className="grid grid-cols-2 gap-3">
          {(['from', 'to'] as const).map((end) => (
            <LabelledInput
              key={end}
              label={t[end]}
              error={issueFor(run.error, `filter.${end}`)}
              type="datetime-local"
              max={LAST_LOCAL_MOMENT}
              value={scope[end]}
              onChange={(text) => change({ [end]: text })}
            />
          ))}
        </div>
      )}
      <LabelledInput
        label={t.where}
        hint={t.whereHint}
        error={issueFor(run.error, 'filter.where') ?? issueFor(run.error, 'where')}
        spellCheck={false}
        className="field font-mono text-xs"
        value={scope.where}
        onChange={(where) => change({ where })}
      />
      {keyCount > 0 && (
        <Checkbox
          label={t.ownKeys(keyCount)}
          checked={scope.isOwnKeys}
          onChange={(event) => change({ isOwnKeys: event.target.checked })}
        />
      )}
    </form>
  );
}

type DryRunSpan = Exclude<PeriodName, 'today' | 'yesterday'> | 'all' | 'own';

function toSpanLabels(): Readonly<Record<DryRunSpan, string>> {
  const { all, own } = trialMessages().dryRun.spans;
  const short = (name: PeriodName): string => toPeriodTexts(name).short;
  return { '1h': short('1h'), '24h': short('24h'), '7d': short('7d'), '30d': short('30d'), all, own };
}

/** The requests to check, as the form has them. */
export interface DryRunScope {
  readonly span: DryRunSpan;
  /** In the zone that times are shown in, as its field writes them; for a span of one's own. */
  readonly from: string;
  readonly to: string;
  /** In the filter language. */
  readonly where: string;
  /** Only requests of the keys that the guardrail is assigned to. */
  readonly isOwnKeys: boolean;
}

const FIRST_SCOPE: DryRunScope = { span: '7d', from: '', to: '', where: '', isOwnKeys: false };

/** The same as the API takes it. */
export function toDryRunFilter(
  { span, from, to, where, isOwnKeys }: DryRunScope,
  keys: readonly string[],
  now = Date.now(),
): Readonly<Record<string, string>> {
  const ends = span === 'own' ? { from: fromLocalMoment(from), to: fromLocalMoment(to) } : {};
  return {
    ...(isPeriod(span) && { from: new Date(toPeriodStart(span, now)).toISOString() }),
    ...(ends.from != null && { from: ends.from }),
    ...(ends.to != null && { to: ends.to }),
    ...(where.trim() !== '' && { where: where.trim() }),
    ...(isOwnKeys && keys.length > 0 && { key: keys.join(',') }),
  };
}

/** What to try, and on which calls: the body of the request. */
export interface DryRunRequest {
  readonly guardrail_id: string;
  readonly change?: Record<string, unknown>;
  readonly filter: Readonly<Record<string, string>>;
}

interface DryRunState {
  readonly state: 'idle' | 'running' | 'done' | 'stopped' | 'failed';
  /** How far it has come. */
  readonly line: GuardrailDryRunLine | null;
  /** The results of all lines. */
  readonly examples: GuardrailDryRunLine['examples'];
  readonly error: unknown;
}

const IDLE: DryRunState = { state: 'idle', line: null, examples: [], error: null };

/**
 * A dry run of a guardrail and the calls that it looks at. It ends when it is stopped, begun again, or when the guardrail
 * is closed; until then it goes on, whichever tab is open.
 */
export function useDryRun(guardrailId: string, unsaved: Record<string, unknown>, keys: readonly string[]) {
  const [scope, setScope] = useState<DryRunScope>(FIRST_SCOPE);
  const [run, setRun] = useState<DryRunState>(IDLE);
  const aborting = useRef<AbortController | null>(null);
  useEffect(() => () => aborting.current?.abort(), []);

  const start = async (): Promise<void> => {
    aborting.current?.abort();
    const own = new AbortController();
    aborting.current = own;
    /** A run that another has taken the place of says nothing more. */
    const tell = (change: (before: DryRunState) => DryRunState): void => {
      if (aborting.current === own && !own.signal.aborted) setRun(change);
    };
    setRun({ ...IDLE, state: 'running' });
    try {
      const { signal } = own;
      const request: DryRunRequest = {
        guardrail_id: guardrailId,
        filter: toDryRunFilter(scope, keys),
        ...(Object.keys(unsaved).length > 0 && { change: unsaved }),
      };
      const response = await openApi('/admin/v1/guardrails/dry-runs', { method: 'POST', body: request, signal });
      if (response.body === null) throw new Error(trialMessages().dryRun.nothingSent);
      let isDone = false;
      for await (const line of readJsonLines<GuardrailDryRunLine>(response.body)) {
        isDone = line.done;
        tell(({ examples }) => ({
          state: line.done ? 'done' : 'running',
          line,
          examples: line.examples.length === 0 ? examples : [...examples, ...line.examples],
          error: null,
        }));
      }
      if (!isDone) throw new Error(trialMessages().dryRun.interrupted);
    } catch (error) {
      tell((before) => ({ ...before, state: 'failed', error }));
    }
  };
  const stop = (): void => {
    setRun((before) => (before.state === 'running' ? { ...before, state: 'stopped' } : before));
    aborting.current?.abort();
  };
  const change = (part: Partial<DryRunScope>): void => setScope({ ...scope, ...part });
  return { scope, change, run, start, stop };
}

interface DryRunProgressProps {
  readonly state: 'running' | 'done' | 'stopped';
  readonly line: GuardrailDryRunLine | null;
}

/** How far a dry run has come. */
function DryRunProgress({ state, line }: DryRunProgressProps) {
  const t = trialMessages().dryRun;
  const looked = line?.looked_at ?? 0;
  const total = line?.total ?? 0;
  const part = state === 'done' ? 1 : total === 0 ? 0 : looked / total;
  const backTo = line?.back_to ?? null;
  return (
    <div className="flex flex-col gap-1">
      <div
        role="progressbar"
        aria-label={t.name}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={looked}
        aria-valuetext={t.progress(formatCount(looked), formatCount(total))}
        className="h-2 overflow-hidden rounded-full bg-raised forced-colors:border"
      >
        <div className="h-full rounded-full bg-accent forced-color-adjust-none" style={{ width: `${part * 100}%` }} />
      </div>
      <p className="figures text-xs text-ink-faint">
        {t.checked(formatCount(looked), formatCount(total))}
        {backTo !== null && t.backTo(formatMoment(backTo))}
        {state === 'stopped' && t.stopped}
      </p>
    </div>
  );
}
