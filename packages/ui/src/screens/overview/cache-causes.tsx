import type { CacheCausePart, CacheCauseRow, CacheMarksDryRun } from '@model-gateway/core/wire';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { callApi } from '../../api/call-api.ts';
import { workspacesQuery } from '../../api/queries.ts';
import { type OverviewSearch, toChartSpan } from '../../features/activity/overview-search.ts';
import { cacheMessages } from '../../features/generations/cost/cache-messages.ts';
import { formatUsd } from '../../format/money.ts';
import { formatCount, formatPercent } from '../../format/quantity.ts';
import { formatMoment } from '../../format/time.ts';
import { NotLoaded } from '../../parts/messages/loaded.tsx';
import { showControls } from '../../parts/text/show-controls.ts';
import { CacheChart } from './cache-chart.tsx';
import { cacheSectionMessages } from './cache-messages.ts';

interface Causes {
  readonly data: readonly CacheCauseRow[];
  readonly timeline: readonly CacheCausePart[];
  readonly bucket_ms: number;
  readonly calls: number;
  readonly from: string;
  readonly to: string;
  readonly searched_from?: string;
}

const causesQuery = (search: OverviewSearch) =>
  queryOptions({
    queryKey: ['cache-causes', search],
    queryFn: async ({ signal }) => {
      const { fromMs, toMs, isOpen } = toChartSpan(search, Date.now());
      const query = {
        from: new Date(fromMs).toISOString(),
        ...(!isOpen && { to: new Date(toMs).toISOString() }),
      };
      const [causes, marks] = await Promise.all([
        callApi<Causes>('/admin/v1/generations/cache-causes', { query, signal }),
        callApi<CacheMarksDryRun>('/admin/v1/generations/cache-marks', { query, signal }),
      ]);
      return { causes, marks };
    },
  });

/** What was missed, as it is read from the contents of up to 2,000 requests. Only those who want to see it load this. */
export function CacheCauses({ search }: { search: OverviewSearch }) {
  const t = cacheSectionMessages();
  const query = useQuery(causesQuery(search));
  if (query.data === undefined) return <NotLoaded what={t.what} failure={t.failed} query={query} isFlush />;
  return <Found causes={query.data.causes} marks={query.data.marks} />;
}

/** Causes that cost nothing, or that nobody can do anything about. */
const NO_MISSES: ReadonlySet<CacheCauseRow['cause']> = new Set(['hit', 'first_call', 'too_short', 'unknown']);

function Found({ causes, marks }: { causes: Causes; marks: CacheMarksDryRun }) {
  const t = cacheSectionMessages();
  const hasMisses = causes.data.some(({ cause }) => !NO_MISSES.has(cause));
  return (
    <>
      <p className="text-xs text-ink-faint">
        {t.lookedAt(causes.calls, formatCount(causes.calls))}
        {causes.searched_from !== undefined && ` · ${t.since(formatMoment(causes.searched_from))}`}
      </p>
      {hasMisses && (
        <CacheChart
          timeline={causes.timeline.filter(({ cause }) => !NO_MISSES.has(cause))}
          fromMs={Date.parse(causes.from)}
          toMs={Date.parse(causes.to)}
          bucketMs={causes.bucket_ms}
        />
      )}
      {hasMisses ? (
        <div className="grid grid-cols-1 items-start gap-x-8 gap-y-4 xl:grid-cols-2">
          <ByCause rows={causes.data} />
          <ByApp rows={causes.data} from={causes.from} to={causes.to} />
        </div>
      ) : (
        <p className="text-sm">{t.nothing}</p>
      )}
      <Marks marks={marks} />
    </>
  );
}

interface Sum {
  readonly key: string;
  calls: number;
  misses: number;
  prompt: number;
  read: number;
  saved: number;
  examples: readonly string[];
}

/** Sums of rows by what they have in common, the one that would have saved most first. */
function sumBy(rows: readonly CacheCauseRow[], keyOf: (row: CacheCauseRow) => string): Sum[] {
  const sums = new Map<string, Sum>();
  for (const row of rows) {
    const key = keyOf(row);
    const sum = sums.get(key) ?? { key, calls: 0, misses: 0, prompt: 0, read: 0, saved: 0, examples: [] };
    sums.set(key, sum);
    sum.calls += row.calls;
    if (!NO_MISSES.has(row.cause)) sum.misses += row.calls;
    sum.prompt += row.prompt_tokens;
    sum.read += row.read_tokens;
    sum.saved += row.would_have_saved;
    sum.examples = [...sum.examples, ...row.examples];
  }
  return [...sums.values()].toSorted((a, b) => b.saved - a.saved || b.calls - a.calls);
}

const MOST_EXAMPLES = 3;

function ByCause({ rows }: { rows: readonly CacheCauseRow[] }) {
  const t = cacheSectionMessages();
  const { causes } = cacheMessages();
  const sums = sumBy(
    rows.filter(({ cause }) => !NO_MISSES.has(cause)),
    ({ cause }) => cause,
  );
  const most = Math.max(...sums.map(({ saved }) => saved));
  return (
    <Table caption={t.byCause} columns={[t.cause, t.requests, t.cost, t.examples]}>
      {sums.map(({ key, calls, saved, examples }) => (
        <tr key={key} className="border-b border-line/60 last:border-0">
          <th scope="row" className="w-full py-1.5 text-left font-normal">
            {causes[key as CacheCauseRow['cause']]}
            <Bar share={most > 0 ? saved / most : 0} />
          </th>
          <Cell>{formatCount(calls)}</Cell>
          <Cell>{formatUsd(saved)}</Cell>
          <Cell>
            {examples.slice(0, MOST_EXAMPLES).map((id, at) => (
              <Link
                key={id}
                to="/generations/$id"
                params={{ id }}
                search={{ tab: 'usage' }}
                aria-label={t.example(formatCount(at + 1))}
                title={id}
                className="-my-1 inline-flex min-h-6 min-w-6 items-center justify-center text-accent hover:underline"
              >
                {formatCount(at + 1)}
              </Link>
            ))}
          </Cell>
        </tr>
      ))}
    </Table>
  );
}

function ByApp({ rows, from, to }: { rows: readonly CacheCauseRow[]; from: string; to: string }) {
  const t = cacheSectionMessages();
  const sums = sumBy(rows, ({ app }) => app ?? '');
  const most = Math.max(...sums.map(({ saved }) => saved));
  return (
    <Table caption={t.byApp} columns={[t.app, t.requests, t.missed, t.share, t.cost]}>
      {sums.map(({ key, calls, misses, prompt, read, saved }) => (
        <tr key={key} className="border-b border-line/60 last:border-0">
          <th scope="row" className="w-full max-w-0 min-w-28 py-1.5 text-left font-normal">
            {key === '' ? (
              <span className="text-ink-soft">{t.noApp}</span>
            ) : (
              <Link
                to="/generations"
                search={{ app: key, from, to }}
                title={showControls(key)}
                className="block truncate text-accent hover:underline"
              >
                {showControls(key)}
              </Link>
            )}
            <Bar share={most > 0 ? saved / most : 0} />
          </th>
          <Cell>{formatCount(calls)}</Cell>
          <Cell>{formatCount(misses)}</Cell>
          <Cell title={t.shareHint}>{toShare(read, prompt)}</Cell>
          <Cell>{formatUsd(saved)}</Cell>
        </tr>
      ))}
    </Table>
  );
}

const toShare = (read: number, prompt: number): string => (prompt === 0 ? '—' : formatPercent((100 * read) / prompt));

/** Its name in the configuration. */
const SETTING = 'routing.automaticCacheMarks';
/** Sessions whose money is shown. */
const MOST_SESSIONS = 5;

function Marks({ marks }: { marks: CacheMarksDryRun }) {
  const t = cacheSectionMessages().marks;
  const { sums } = marks;
  const isWorthIt = sums.would_have_saved > 0;
  return (
    <div className="flex flex-col gap-2 border-t border-line pt-4">
      <h3 className="text-sm font-semibold">{t.title}</h3>
      <p className="max-w-prose text-sm">
        {isWorthIt ? t.saves(formatUsd(sums.would_have_saved)) : t.nothing}{' '}
        {isWorthIt &&
          t.shares(toShare(sums.read_tokens, sums.prompt_tokens), toShare(sums.would_have_read, sums.prompt_tokens))}
      </p>
      <p className="text-sm text-ink-soft">
        {marks.enabled ? t.isOn : t.isOff}{' '}
        <Link to="/settings" search={{ section: 'routing' }} className="text-accent underline">
          {t.turnOn}
        </Link>{' '}
        <code className="font-mono text-xs text-ink-faint">{SETTING}</code>
      </p>
      {(marks.workspaces.length > 1 || marks.workspaces.some(({ enabled }) => enabled !== marks.enabled)) && (
        <ByWorkspace rows={marks.workspaces} />
      )}
      {isWorthIt && (
        <Table caption={null} label={t.title} columns={[t.session, t.was, t.would, t.saved]} isNarrow>
          {marks.sessions.slice(0, MOST_SESSIONS).map((session) => (
            <tr key={session.session_id} className="border-b border-line/60 last:border-0">
              <th scope="row" className="w-full max-w-0 min-w-28 py-1.5 text-left font-normal">
                <Link
                  to="/generations/sessions/$id"
                  params={{ id: session.session_id }}
                  title={showControls(session.session_id)}
                  className="block truncate text-accent hover:underline"
                >
                  {showControls(session.session_id)}
                </Link>
              </th>
              <Cell>{formatUsd(session.cost)}</Cell>
              <Cell>{formatUsd(session.would_have_cost)}</Cell>
              <Cell>{formatUsd(session.would_have_saved)}</Cell>
            </tr>
          ))}
        </Table>
      )}
    </div>
  );
}

/** What marks would have saved in each workspace, and whether they are set there, which can be changed behind its name. */
function ByWorkspace({ rows }: { rows: CacheMarksDryRun['workspaces'] }) {
  const t = cacheSectionMessages().marks;
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  return (
    <Table caption={null} label={t.workspaces} columns={[t.workspace, t.now, t.was, t.would, t.saved]} isNarrow>
      {rows.map((row) => (
        <tr key={row.workspace_id} className="border-b border-line/60 last:border-0">
          <th scope="row" className="w-full max-w-0 min-w-28 py-1.5 text-left font-normal">
            <Link
              to="/settings"
              search={{ section: 'workspaces', workspace: row.workspace_id }}
              className="block truncate text-accent hover:underline"
            >
              {showControls(workspaces.find(({ id }) => id === row.workspace_id)?.name ?? row.workspace_id)}
            </Link>
          </th>
          <Cell>{row.enabled ? t.on : t.off}</Cell>
          <Cell>{formatUsd(row.cost)}</Cell>
          <Cell>{formatUsd(row.would_have_cost)}</Cell>
          <Cell>{formatUsd(row.would_have_saved)}</Cell>
        </tr>
      ))}
    </Table>
  );
}

interface TableProps {
  readonly caption: string | null;
  /** Its name, where there is no caption. */
  readonly label?: string;
  /** The first is the name of a row. */
  readonly columns: readonly string[];
  /** Its names are short: a wide screen would put the numbers far from them. */
  readonly isNarrow?: boolean;
  readonly children: ReactNode;
}

function Table({ caption, label, columns, isNarrow = false, children }: TableProps) {
  return (
    <div className={`min-w-0 overflow-x-auto ${isNarrow ? 'max-w-2xl' : ''}`}>
      <table className="figures w-full text-[13px]" aria-label={label}>
        {caption !== null && <caption className="mb-1 text-left text-sm font-semibold">{caption}</caption>}
        <thead>
          <tr className="border-b border-line text-xs text-ink-faint">
            {columns.map((column, at) => (
              <th
                key={column}
                scope="col"
                className={`py-1 font-medium ${at === 0 ? 'text-left' : 'pl-3 text-right whitespace-nowrap'}`}
              >
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

const Cell = ({ title, children }: { title?: string; children: ReactNode }) => (
  <td title={title} className="py-1.5 pl-3 text-right align-top whitespace-nowrap">
    {children}
  </td>
);

/** The money of a row beside that of the dearest. The number stands in the row. */
const Bar = ({ share }: { share: number }) => (
  <div aria-hidden className="mt-0.5 h-1 rounded-xs bg-raised">
    <div className="h-1 rounded-xs" style={{ width: `${Math.round(100 * share)}%`, background: 'var(--chart-1)' }} />
  </div>
);
