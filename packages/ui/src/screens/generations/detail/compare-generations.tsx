import type { Generation } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import type { GenerationContent } from '../../../api/types.ts';
import { contentQuery, generationQuery } from '../../../features/generations/content/generation-queries.ts';
import { messagesOf } from '../../../features/generations/content/messages-of.ts';
import { GENERATION_STATUSES, toStatus } from '../../../features/generations/list/generation-status.tsx';
import { toFirstTokenMs } from '../../../features/generations/list/list-row.ts';
import { DiffText } from '../../../features/playground/diff/diff-text.tsx';
import { formatUsdExactly } from '../../../format/money.ts';
import { formatCount, formatDuration } from '../../../format/quantity.ts';
import { formatFull, formatMoment } from '../../../format/time.ts';
import { Dialog } from '../../../parts/dialogs/dialog.tsx';
import { ErrorPanel } from '../../../parts/messages/error-panel.tsx';
import { Loading } from '../../../parts/messages/states.tsx';
import { PlainText } from '../../../parts/text/plain-text.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { toParts } from './message-parts.ts';
import { detailMessages } from './messages.ts';

type RowName = keyof ReturnType<typeof detailMessages>['compare']['rows'];

const ROWS: readonly (readonly [RowName, (generation: Generation) => string])[] = [
  ['model', ({ model }) => showControls(model)],
  ['provider', ({ provider_name: name }) => (name === null ? '—' : showControls(name))],
  ['status', (generation) => GENERATION_STATUSES[toStatus(generation)].label],
  ['finishReason', ({ finish_reason: reason }) => (reason === null ? '—' : showControls(reason))],
  ['attempts', (generation) => formatCount(generation.provider_responses?.length)],
  ['promptTokens', (generation) => formatCount(generation.tokens_prompt)],
  ['completionTokens', (generation) => formatCount(generation.tokens_completion)],
  [
    'cost',
    ({ cost_known: isKnown, total_cost: cost }) =>
      isKnown ? formatUsdExactly(cost) : detailMessages().compare.unknown,
  ],
  ['firstToken', (generation) => formatDuration(toFirstTokenMs(generation))],
  ['duration', (generation) => formatDuration(generation.generation_time)],
];

export function CompareGenerations({ ids, onClose }: { ids: readonly [string, string]; onClose: () => void }) {
  const t = detailMessages().compare;
  const left = useQuery(generationQuery(ids[0]));
  const right = useQuery(generationQuery(ids[1]));
  const contents = [useQuery(contentQuery(ids[0])), useQuery(contentQuery(ids[1]))] as const;
  const error = left.error ?? right.error;
  const areChats = [left.data, right.data].every((generation) => generation?.api_type === 'completions');
  const canContinue = areChats && contents.every(({ data }) => data !== undefined);
  return (
    <Dialog
      title={t.title}
      width="full"
      onClose={onClose}
      actions={
        canContinue && (
          <Link
            to="/playground"
            search={{ from: ids.join(',') }}
            className="rounded-md bg-accent px-3 py-1.5 text-sm font-medium text-accent-ink"
          >
            {t.open}
          </Link>
        )
      }
    >
      {error !== null && <ErrorPanel error={error} />}
      <table className="figures mb-4 w-full table-fixed text-sm">
        <thead>
          <tr className="border-b border-line text-left">
            <td className="w-28 py-2 pr-2 text-xs text-ink-faint sm:w-36">{t.marked}</td>
            {ids.map((id) => (
              <th key={id} scope="col" className="py-2 pr-4 align-top font-normal" title={id}>
                <Name generation={id === ids[0] ? left.data : right.data} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ROWS.map(([name, read]) => {
            const values = [left.data, right.data].map((generation) =>
              generation === undefined ? '…' : read(generation),
            );
            const mark = values[0] === values[1] ? '' : 'rounded bg-caution-soft font-medium text-caution';
            return (
              <tr key={name} className="border-b border-line/60">
                <th scope="row" className="py-1 text-left font-normal text-ink-faint">
                  {t.rows[name]}
                </th>
                {values.map((value, at) => (
                  <td key={ids[at]} className="py-1 pr-4">
                    <span className={mark === '' ? '' : `px-1 ${mark}`}>{value}</span>
                    {mark !== '' && at === 1 && <span title={t.differs}> ≠</span>}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      {contents.some((one) => one.error !== null) ? (
        <p className="text-sm text-ink-faint">{t.notStored}</p>
      ) : (
        <Texts contents={contents.map(({ data }) => data)} />
      )}
    </Dialog>
  );
}

/** What a request is called in a comparison: its model and when it was sent. */
function Name({ generation }: { generation: Generation | undefined }) {
  if (generation === undefined) return '…';
  const { id, model, created_at: at } = generation;
  return (
    <Link
      to="/generations/$id"
      params={{ id }}
      search={{}}
      className="block min-h-6 truncate rounded hover:text-accent"
      title={`${showControls(model)}, ${formatFull(at)}\n${id}`}
    >
      <span className="font-semibold">{showControls(model.slice(model.indexOf('/') + 1))}</span>
      <span className="text-ink-soft"> · {formatMoment(at)}</span>
    </Link>
  );
}

/** Both texts of each, with what differs from the first in the second. */
function Texts({ contents }: { contents: readonly (GenerationContent | undefined)[] }) {
  const t = detailMessages().compare;
  const [first, second] = contents;
  if (first === undefined || second === undefined) return <Loading what={t.texts} />;
  const rows = [
    [t.request, toAsked(first), toAsked(second)],
    [t.response, toSaid(first), toSaid(second)],
  ] as const;
  return rows.map(([label, before, after]) => (
    <section key={label} className="mb-4">
      <h3 className="mb-1 text-sm font-semibold">{label}</h3>
      <div className="grid gap-4 md:grid-cols-2">
        <div className="min-w-0 rounded-lg border border-line p-3">
          <PlainText text={before} />
        </div>
        <div className="min-w-0 rounded-lg border border-line p-3">
          <DiffText before={before} after={after} than={t.theFirst} />
        </div>
      </div>
    </section>
  ));
}

const toSaid = ({ output, error }: GenerationContent): string =>
  output.completion ?? error?.message ?? detailMessages().compare.nothing;

/** The messages as text, each after its role. */
const toAsked = (content: GenerationContent): string =>
  messagesOf(content)
    .map(toParts)
    .map(({ role, parts }) => [`${role}:`, ...parts.map(toLine)].join('\n'))
    .join('\n\n');

function toLine(part: ReturnType<typeof toParts>['parts'][number]): string {
  if (part.type === 'text') return part.text;
  const t = detailMessages().compare;
  return part.type === 'media' ? t.media(part.kind, part.origin) : t.toolCall(part.name, part.text);
}
