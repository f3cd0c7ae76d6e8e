import type { Model } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { modelsQuery } from '../../api/queries.ts';
import { formatTokenPrice } from '../../features/models/model-facts.ts';
import { formatPricePerMillion } from '../../format/money.ts';
import { formatCount } from '../../format/quantity.ts';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { Logo, toAuthor } from '../../parts/logo.tsx';
import { Loaded } from '../../parts/messages/loaded.tsx';
import { modelsMessages } from './messages.tsx';

type CompareRow = readonly [label: string, read: (model: Model) => ReactNode];

function toRows(): readonly CompareRow[] {
  const t = modelsMessages().compare;
  return [
    [t.context, (model) => formatCount(model.context_length)],
    [t.maxOutput, (model) => formatCount(model.top_provider.max_completion_tokens)],
    [t.input, ({ pricing }) => formatTokenPrice(pricing, 'prompt')],
    [t.output, ({ pricing }) => formatTokenPrice(pricing, 'completion')],
    [t.cached, ({ pricing }) => formatPricePerMillion(pricing['input_cache_read'])],
    [t.takes, ({ architecture }) => architecture.input_modalities.join(', ')],
    [t.gives, ({ architecture }) => architecture.output_modalities.join(', ')],
    [t.tokenizer, ({ architecture }) => architecture.tokenizer],
    [t.listed, ({ created }) => (created === 0 ? t.unknown : new Date(created * 1000).toISOString().slice(0, 10))],
    [t.cutoff, (model) => model.knowledge_cutoff ?? t.unknown],
  ];
}

/** Two to four models side by side; rows in which they differ stand out. */
export function CompareModels({ ids, onClose }: { ids: readonly string[]; onClose: () => void }) {
  const query = useQuery(modelsQuery);
  const models = ids.flatMap((id) => query.data?.find((model) => model.id === id) ?? []);
  const parameters = [...new Set(models.flatMap((model) => model.supported_parameters))].toSorted((a, b) =>
    a.localeCompare(b),
  );
  const t = modelsMessages().compare;
  const rows: readonly CompareRow[] = [
    ...toRows(),
    ...parameters.map(
      (name) => [name, (model: Model) => (model.supported_parameters.includes(name) ? t.yes : '—')] as const,
    ),
  ];
  return (
    <Dialog
      title={t.title(models.length)}
      width="full"
      onClose={onClose}
      actions={
        <Link
          to="/playground"
          search={{ models: ids.join(',') }}
          className="rounded-md bg-accent px-3 py-1.5 text-sm font-medium text-accent-ink"
        >
          {t.playground}
        </Link>
      }
    >
      <Loaded
        what={modelsMessages().list.what}
        failure={modelsMessages().list.failure}
        query={query}
        data={query.data}
        isFlush
      >
        {() => (
          <div className="scroll-thin overflow-x-auto">
            <table className="w-full text-sm">
              <thead>
                <tr className="border-b border-line text-left">
                  <td className="py-2 pr-4 text-ink-faint">{t.highlighted}</td>
                  {models.map(({ id, name }) => (
                    <th key={id} scope="col" className="py-2 pr-4 align-top">
                      <span className="flex items-center gap-1.5">
                        <Logo name={toAuthor(id)} className="text-ink-soft" /> {name}
                      </span>
                      <span className="block font-mono text-xs font-normal text-ink-faint">{id}</span>
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map(([label, read]) => {
                  const values = models.map(read);
                  const differs = new Set(values).size > 1;
                  return (
                    <tr key={label} className="border-b border-line/60">
                      <th scope="row" className="py-1.5 pr-4 text-left font-normal whitespace-nowrap text-ink-faint">
                        {label}
                      </th>
                      {values.map((value, at) => (
                        <td key={models[at]?.id} className="figures min-w-28 py-1.5 pr-4">
                          <span className={differs ? '-mx-1 rounded bg-accent-soft px-1 font-medium' : ''}>
                            {value}
                          </span>
                        </td>
                      ))}
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </div>
        )}
      </Loaded>
    </Dialog>
  );
}
