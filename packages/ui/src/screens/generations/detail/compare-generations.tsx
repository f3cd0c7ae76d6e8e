import type { Generation } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';

import { formatUsd } from '../../../format/money.ts';
import { formatCount, formatDuration } from '../../../format/quantity.ts';
import { Dialog } from '../../../parts/dialogs/dialog.tsx';
import { ErrorPanel } from '../../../parts/messages/error-panel.tsx';
import { PlainText } from '../../../parts/text/plain-text.tsx';
import { contentQuery, generationQuery } from '../content/generation-queries.ts';
import { toFirstTokenMs } from '../first-token.ts';
import { GENERATION_STATUSES, toStatus } from '../generation-status.tsx';

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
  const error = left.error ?? right.error;
  return (
    <Dialog title="Compare two generations" width="full" onClose={onClose}>
      {error !== null && <ErrorPanel error={error} />}
      <table className="figures mb-4 w-full table-fixed text-sm">
        <thead>
          <tr className="border-b border-line text-left">
            <td className="w-36 py-2 text-ink-faint">Differences are marked</td>
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
            const mark = values[0] === values[1] ? '' : 'font-medium text-accent';
            return (
              <tr key={label} className="border-b border-line/60">
                <th scope="row" className="py-1 text-left font-normal text-ink-faint">
                  {label}
                </th>
                <td className={`py-1 pr-4 ${mark}`}>{values[0]}</td>
                <td className={`py-1 pr-4 ${mark}`}>{values[1]}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <div className="grid gap-4 md:grid-cols-2">
        {ids.map((id) => (
          <Contents key={id} id={id} />
        ))}
      </div>
    </Dialog>
  );
}

function Contents({ id }: { id: string }) {
  const { data, error } = useQuery(contentQuery(id));
  if (error !== null) return <p className="text-sm text-ink-faint">Its prompt and answer are not stored.</p>;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <section>
        <h3 className="mb-1 text-sm font-semibold">Asked</h3>
        <div className="rounded-lg bg-raised p-3 font-mono">
          <PlainText
            text={data === undefined ? '…' : JSON.stringify(data.input.messages ?? data.input.prompt, null, 2)}
          />
        </div>
      </section>
      <section>
        <h3 className="mb-1 text-sm font-semibold">Answered</h3>
        <div className="rounded-lg border border-line p-3">
          <PlainText text={data?.output.completion ?? data?.error?.message ?? (data === undefined ? '…' : 'Nothing')} />
        </div>
      </section>
    </div>
  );
}
