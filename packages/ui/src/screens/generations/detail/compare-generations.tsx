import type { Generation } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import type { GenerationContent } from '../../../api/types.ts';
import { contentQuery, generationQuery } from '../../../features/generations/content/generation-queries.ts';
import { messagesOf } from '../../../features/generations/content/messages-of.ts';
import { GENERATION_STATUSES, toStatus } from '../../../features/generations/list/generation-status.tsx';
import { toFirstTokenMs } from '../../../features/generations/list/list-row.ts';
import { DiffText } from '../../../features/playground/diff/diff-text.tsx';
import { formatUsd } from '../../../format/money.ts';
import { formatCount, formatDuration } from '../../../format/quantity.ts';
import { Dialog } from '../../../parts/dialogs/dialog.tsx';
import { ErrorPanel } from '../../../parts/messages/error-panel.tsx';
import { Loading } from '../../../parts/messages/states.tsx';
import { PlainText } from '../../../parts/text/plain-text.tsx';
import { toParts } from './message-parts.ts';

const ROWS: readonly (readonly [string, (generation: Generation) => string])[] = [
  ['Model', ({ model }) => model],
  ['Provider', (generation) => generation.provider_name ?? '—'],
  ['Status', (generation) => GENERATION_STATUSES[toStatus(generation)].label],
  ['Finish reason', (generation) => generation.finish_reason ?? '—'],
  ['Attempts', (generation) => formatCount(generation.provider_responses?.length)],
  ['Prompt tokens', (generation) => formatCount(generation.tokens_prompt)],
  ['Completion tokens', (generation) => formatCount(generation.tokens_completion)],
  ['Cost', (generation) => (generation.cost_known ? formatUsd(generation.total_cost) : 'unknown')],
  ['First token', (generation) => formatDuration(toFirstTokenMs(generation))],
  ['Duration', (generation) => formatDuration(generation.generation_time)],
];

export function CompareGenerations({ ids, onClose }: { ids: readonly [string, string]; onClose: () => void }) {
  const left = useQuery(generationQuery(ids[0]));
  const right = useQuery(generationQuery(ids[1]));
  const contents = [useQuery(contentQuery(ids[0])), useQuery(contentQuery(ids[1]))] as const;
  const error = left.error ?? right.error;
  const areChats = [left.data, right.data].every((generation) => generation?.api_type === 'completions');
  const canContinue = areChats && contents.every(({ data }) => data !== undefined);
  return (
    <Dialog
      title="Compare two generations"
      width="full"
      onClose={onClose}
      actions={
        canContinue && (
          <Link
            to="/playground"
            search={{ from: ids.join(',') }}
            className="rounded-md bg-accent px-3 py-1.5 text-sm font-medium text-accent-ink"
          >
            Continue in the playground
          </Link>
        )
      }
    >
      {error !== null && <ErrorPanel error={error} />}
      <table className="figures mb-4 w-full table-fixed text-sm">
        <thead>
          <tr className="border-b border-line text-left">
            <td className="w-36 py-2 text-ink-faint">Differences highlighted</td>
            {ids.map((id) => (
              <th key={id} scope="col" className="truncate py-2 pr-4 font-mono text-xs font-normal">
                {id}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ROWS.map(([label, read]) => {
            const values = [left.data, right.data].map((generation) =>
              generation === undefined ? '…' : read(generation),
            );
            const mark = values[0] === values[1] ? '' : 'rounded bg-caution-soft font-medium text-caution';
            return (
              <tr key={label} className="border-b border-line/60">
                <th scope="row" className="py-1 text-left font-normal text-ink-faint">
                  {label}
                </th>
                {values.map((value, at) => (
                  <td key={ids[at]} className="py-1 pr-4">
                    <span className={mark === '' ? '' : `px-1 ${mark}`}>{value}</span>
                    {mark !== '' && at === 1 && <span title="Differs from the first"> ≠</span>}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      {contents.some((one) => one.error !== null) ? (
        <p className="text-sm text-ink-faint">Prompt and response of one of them are not stored.</p>
      ) : (
        <Texts contents={contents.map(({ data }) => data)} />
      )}
    </Dialog>
  );
}

/** What was asked and what was said, with what differs from the first in the second. */
function Texts({ contents }: { contents: readonly (GenerationContent | undefined)[] }) {
  const [first, second] = contents;
  if (first === undefined || second === undefined) return <Loading what="both texts" />;
  const rows = [
    ['Asked', toAsked(first), toAsked(second)],
    ['Answered', toSaid(first), toSaid(second)],
  ] as const;
  return rows.map(([label, before, after]) => (
    <section key={label} className="mb-4">
      <h3 className="mb-1 text-sm font-semibold">{label}</h3>
      <div className="grid gap-4 md:grid-cols-2">
        <div className="min-w-0 rounded-lg border border-line p-3">
          <PlainText text={before} />
        </div>
        <div className="min-w-0 rounded-lg border border-line p-3">
          <DiffText before={before} after={after} than="the first" />
        </div>
      </div>
    </section>
  ));
}

const toSaid = ({ output, error }: GenerationContent): string => output.completion ?? error?.message ?? 'Nothing';

/** The messages as text, each after its role. */
const toAsked = (content: GenerationContent): string =>
  messagesOf(content)
    .map(toParts)
    .map(({ role, parts }) => [`${role}:`, ...parts.map(toLine)].join('\n'))
    .join('\n\n');

function toLine(part: ReturnType<typeof toParts>['parts'][number]): string {
  if (part.type === 'text') return part.text;
  return part.type === 'media' ? `[${part.kind}, ${part.origin}]` : `[calls ${part.name} with ${part.text}]`;
}
