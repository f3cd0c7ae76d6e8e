import type { SessionTrial, Settings, StoppedSession } from '@model-gateway/core/wire';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FlaskConical } from 'lucide-react';
import type { ReactNode } from 'react';

import { callApi } from '../../api/call-api.ts';
import { InputField, numberOrNull, SelectField } from '../../features/form/fields.tsx';
import { formatUsd } from '../../format/money.ts';
import { formatCount } from '../../format/quantity.ts';
import { formatMoment } from '../../format/time.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { Loaded } from '../../parts/messages/loaded.tsx';
import { showFailure } from '../../parts/messages/toast-store.ts';
import { settingsMessages } from './messages.ts';
import { type AccountParts, toFixed } from './routing-fields.tsx';
import { sessionMessages } from './session-messages.ts';

interface SessionFieldsProps extends AccountParts {
  /** As they are entered, which need not be saved to be tried. */
  readonly limits: Settings['sessions'];
}

/** How far a session may go, and what that would have done to past ones. */
export function SessionFields({ limits, ...parts }: SessionFieldsProps) {
  const t = sessionMessages();
  const { noLimit } = settingsMessages().account;
  const fields = [
    ['max_cost_usd', t.cost, t.costHint, 'any'],
    ['max_calls', t.calls, undefined, 1],
    ['max_minutes', t.minutes, t.minutesHint, 'any'],
    ['max_repeats', t.repeats, t.repeatsHint, 1],
  ] as const;
  return (
    <>
      <p className="max-w-prose text-sm text-ink-soft">{t.note}</p>
      <div className="grid gap-4 sm:grid-cols-2">
        {fields.map(([name, label, hint, step]) => (
          <InputField
            key={name}
            form={parts.form}
            error={parts.error}
            name={`sessions.${name}`}
            label={label}
            {...toFixed(parts, `sessions.${name}`, hint)}
            type="number"
            min={0}
            step={step}
            placeholder={noLimit}
            read={numberOrNull}
          />
        ))}
        <SelectField
          form={parts.form}
          error={parts.error}
          name="sessions.action"
          label={t.action}
          {...toFixed(parts, 'sessions.action')}
          options={[
            ['refuse', t.actions.refuse],
            ['warn', t.actions.warn],
          ]}
        />
      </div>
      <Trial limits={limits} />
    </>
  );
}

function Trial({ limits: { action: _, ...limits } }: Pick<SessionFieldsProps, 'limits'>) {
  const t = sessionMessages();
  const trial = useMutation({
    mutationFn: async () =>
      (await callApi<{ data: SessionTrial }>('/admin/v1/session-limits/trial', { method: 'POST', body: limits })).data,
    onError: (failure) => showFailure(t.trying, failure),
  });
  const isEmpty = Object.values(limits).every((limit) => limit === null);
  const { data } = trial;
  return (
    <div className="flex flex-col gap-3">
      <Button
        icon={<FlaskConical size={15} />}
        disabled={isEmpty}
        isBusy={trial.isPending}
        onClick={() => trial.mutate()}
        className="self-start"
      >
        {t.try}
      </Button>
      {data !== undefined && (
        <div role="status" className="flex flex-col gap-2 text-sm">
          <p>
            {data.data.length === 0
              ? t.noStop(data.sessions)
              : t.stops(data.data.length, data.sessions, formatUsd(data.saved_usd))}
            {data.without_contents > 0 && ` ${t.withoutContents(data.without_contents)}`}
          </p>
          {data.data.length > 0 && (
            <SessionTable
              label={t.tried}
              heads={[t.session, t.reason, t.stoppedAt, t.saved]}
              rows={data.data.map((row) => [
                row.session_id,
                <Badge key="reason">{t.reasons[row.reason]}</Badge>,
                t.request(formatCount(row.stopped_at_call), formatCount(row.calls)),
                formatUsd(row.saved_usd),
              ])}
            />
          )}
        </div>
      )}
    </div>
  );
}

const stoppedQuery = queryOptions({
  queryKey: ['session-limits'],
  queryFn: async ({ signal }) =>
    (await callApi<{ data: StoppedSession[] }>('/admin/v1/session-limits', { signal })).data,
});

/** The sessions that have reached a limit, each of which can be let go on. */
export function StoppedSessions() {
  const t = sessionMessages();
  const client = useQueryClient();
  const query = useQuery(stoppedQuery);
  const allow = useMutation({
    mutationFn: ({ session_id, workspace_id }: StoppedSession) =>
      callApi('/admin/v1/session-limits/allow', { method: 'POST', body: { session_id, workspace_id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: stoppedQuery.queryKey }),
    onError: (failure) => showFailure(t.notAllowed, failure),
  });
  return (
    <section className="card flex flex-col gap-3 p-4 text-sm">
      <h2 className="text-base font-semibold">{t.stopped}</h2>
      <Loaded what={t.what} query={query} data={query.data} isFlush>
        {(sessions) =>
          sessions.length === 0 ? (
            <p className="text-ink-faint">{t.none}</p>
          ) : (
            <SessionTable
              label={t.stopped}
              heads={[t.session, t.reason, t.soFar, t.state]}
              rows={sessions.map((stopped) => [
                stopped.session_id,
                <Badge key="reason">{t.reasons[stopped.reason]}</Badge>,
                <span key="so-far">
                  {t.figures(stopped.calls, formatUsd(stopped.cost_usd))}
                  <span className="block text-xs text-ink-faint">{formatMoment(stopped.at)}</span>
                </span>,
                <StoppedState key="state" stopped={stopped} onAllow={() => allow.mutate(stopped)} />,
              ])}
            />
          )
        }
      </Loaded>
    </section>
  );
}

function StoppedState({ stopped, onAllow }: { stopped: StoppedSession; onAllow: () => void }) {
  const t = sessionMessages();
  if (stopped.allowed_at !== null) return <span className="text-ink-soft">{t.allowed}</span>;
  if (stopped.action === 'warn') return <span className="text-ink-soft">{t.warned}</span>;
  return (
    <Button aria-label={t.allowNamed(stopped.session_id)} onClick={onAllow}>
      {t.allow}
    </Button>
  );
}

interface SessionTableProps {
  readonly label: string;
  readonly heads: readonly string[];
  /** The first cell of each is the id of its session. */
  readonly rows: readonly (readonly [string, ...ReactNode[]])[];
}

function SessionTable({ label, heads, rows }: SessionTableProps) {
  return (
    <div
      className="scroll-thin relative overflow-x-auto rounded-lg border border-line"
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <table className="w-full text-left text-sm [&_td]:px-2.5 [&_th]:px-2.5">
        <thead className="text-xs text-ink-faint max-sm:sr-only">
          <tr>
            {heads.map((head, at) => (
              <th key={at} className="py-2 font-medium whitespace-nowrap">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([session, ...cells]) => (
            <tr
              key={session}
              className="border-t border-line/60 max-sm:flex max-sm:flex-wrap max-sm:items-center max-sm:gap-x-1 max-sm:py-1"
            >
              <td className="max-w-64 truncate py-2 max-sm:w-full max-sm:max-w-none max-sm:pb-0">
                <Link
                  to="/generations/sessions/$id"
                  params={{ id: session }}
                  className="font-mono text-xs text-accent hover:underline"
                >
                  {session}
                </Link>
              </td>
              {cells.map((cell, at) => (
                <td key={at} className="figures py-2 whitespace-nowrap">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
