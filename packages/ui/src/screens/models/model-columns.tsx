import type { Model } from '@model-gateway/core/wire';
import { useMemo } from 'react';

import type { SearchChange } from '../../features/list-screen/list-screen.tsx';
import { toUnitPrice } from '../../features/models/model-facts.ts';
import type { ModelFigures, ModelRow } from '../../features/models/model-figures.ts';
import { MAX_COMPARED, type ModelSearch, splitWords, toggleWord } from '../../features/models/model-search.ts';
import { toUsdColumn } from '../../format/money.ts';
import { formatCompact, formatCount, formatDuration, formatPercent } from '../../format/quantity.ts';
import { formatShortMoment } from '../../format/time.ts';
import { Badge } from '../../parts/badge.tsx';
import { Logo, toAuthor } from '../../parts/logo.tsx';
import type { Column } from '../../parts/table/table-row.tsx';
import { modelsMessages } from './messages.tsx';

/** The columns of the list, the one to select models for a comparison first. */
export function useModelColumns(
  rows: readonly ModelRow[],
  compare: string | undefined,
  update: (change: SearchChange<ModelSearch>) => void,
): readonly Column<ModelRow>[] {
  const t = modelsMessages();
  return useMemo(() => {
    const compared = splitWords(compare);
    return [
      {
        id: 'select',
        header: <span className="sr-only">{t.columns.select}</span>,
        width: '20px',
        cell: ({ model: { id } }) => (
          <input
            type="checkbox"
            aria-label={t.list.compareOne(id)}
            className="size-4 align-middle accent-accent"
            tabIndex={-1}
            checked={compared.includes(id)}
            disabled={!compared.includes(id) && compared.length >= MAX_COMPARED}
            onClick={(event) => event.stopPropagation()}
            onChange={() => update({ compare: toggleWord(compare, id, MAX_COMPARED) })}
          />
        ),
      },
      ...toFactColumns(rows),
    ];
  }, [rows, compare, update, t]);
}

const NONE = <span className="text-ink-faint">—</span>;

/** A figure of a model's use here; a dash where it was not used. */
const figure = (write: (figures: ModelFigures) => string | null) =>
  function FigureCell({ figures }: ModelRow) {
    return (figures && write(figures)) ?? NONE;
  };

const withMeaning = (text: string, meaning: string) => <span title={meaning}>{text}</span>;

/** What is known of each model; what matters least leaves first where there is little room. */
function toFactColumns(rows: readonly ModelRow[]): readonly Column<ModelRow>[] {
  const t = modelsMessages().columns;
  const writeUsd = toUsdColumn(rows.map(({ figures }) => figures?.usd));
  return [
    {
      id: 'name',
      header: t.name,
      sort: 'name',
      width: 'minmax(230px,2fr)',
      narrow: { width: 'minmax(150px,3fr)' },
      cell: NameCell,
    },
    {
      id: 'prompt',
      header: t.prompt,
      sort: 'prompt',
      width: 'minmax(108px,0.4fr)',
      narrow: { width: '72px', cell: ({ model }) => <StackedPrice model={model} unit="prompt" /> },
      isNumeric: true,
      cell: ({ model }) => <PriceCell model={model} unit="prompt" />,
    },
    {
      id: 'completion',
      header: t.completion,
      sort: 'completion',
      width: 'minmax(108px,0.4fr)',
      narrow: { width: '72px', cell: ({ model }) => <StackedPrice model={model} unit="completion" /> },
      isNumeric: true,
      cell: ({ model }) => <PriceCell model={model} unit="completion" />,
    },
    {
      id: 'context',
      leaves: 7,
      header: t.context,
      sort: 'context',
      width: 'minmax(72px,0.4fr)',
      isNumeric: true,
      cell: ({ model }) => formatCompact(model.context_length || null),
    },
    {
      id: 'providers',
      leaves: 4,
      header: t.providers,
      sort: 'providers',
      width: 'minmax(80px,0.4fr)',
      isNumeric: true,
      cell: ({ providers }) =>
        providers === undefined ? NONE : <span title={providers.join(', ')}>{formatCount(providers.length)}</span>,
    },
    {
      id: 'latency',
      leaves: 8,
      header: withMeaning(t.latency, t.latencyMeaning),
      sort: 'latency',
      width: 'minmax(88px,0.4fr)',
      isNumeric: true,
      cell: figure(({ firstToken }) => (firstToken === null ? null : formatDuration(firstToken))),
    },
    {
      id: 'speed',
      leaves: 9,
      header: withMeaning(t.speed, t.speedMeaning),
      sort: 'speed',
      width: 'minmax(80px,0.4fr)',
      isNumeric: true,
      cell: figure(({ speed }) => (speed === null ? null : formatCount(Math.round(speed)))),
    },
    {
      id: 'uptime',
      leaves: 5,
      header: withMeaning(t.uptime, t.uptimeMeaning),
      sort: 'uptime',
      width: 'minmax(80px,0.4fr)',
      isNumeric: true,
      cell: ({ figures }) => <Uptime percent={figures?.uptime ?? null} />,
    },
    {
      id: 'requests',
      leaves: 6,
      header: withMeaning(t.requests, t.requestsMeaning),
      sort: 'requests',
      width: 'minmax(80px,0.4fr)',
      isNumeric: true,
      cell: figure(({ requests }) => formatCount(requests)),
    },
    {
      id: 'spend',
      leaves: 10,
      header: withMeaning(t.spend, t.spendMeaning),
      sort: 'spend',
      width: 'minmax(92px,0.5fr)',
      isNumeric: true,
      cell: figure(({ usd }) => writeUsd(usd)),
    },
    {
      id: 'abilities',
      leaves: 3,
      header: t.abilities,
      width: 'minmax(172px,1fr)',
      cell: ({ model: { supported_parameters: parameters } }) => (
        <span className="flex gap-1">
          {parameters.includes('tools') && <Badge>{t.tools}</Badge>}
          {parameters.includes('reasoning') && <Badge>{t.reasoning}</Badge>}
          {parameters.includes('response_format') && <Badge>{t.json}</Badge>}
        </span>
      ),
    },
    {
      id: 'modalities',
      leaves: 2,
      header: t.modalities,
      width: 'minmax(170px,1fr)',
      cell: ({ model: { architecture } }) => (
        <span className="text-ink-soft">
          {architecture.input_modalities.join(', ')} → {architecture.output_modalities.join(', ')}
        </span>
      ),
    },
    {
      id: 'added',
      leaves: 1,
      header: t.added,
      sort: 'added',
      width: 'minmax(88px,0.4fr)',
      isNumeric: true,
      cell: ({ model: { created } }) =>
        created === 0 ? NONE : formatShortMoment(new Date(created * 1000).toISOString()),
    },
  ];
}

interface PriceProps {
  readonly model: Model;
  readonly unit: 'prompt' | 'completion';
}

/** A price with what it is for, which has a place of its own, so that the prices stand below one another. */
function PriceCell({ model: { pricing }, unit: of }: PriceProps) {
  const { price, unit } = toUnitPrice(pricing, of) ?? { price: NONE, unit: '' };
  return (
    <>
      {price}
      {(unit !== '' || price === NONE) && (
        <span className="inline-block w-11 pl-0.5 text-left text-xs text-ink-faint">{unit}</span>
      )}
    </>
  );
}

/** The same where the name has its ID below it. */
function StackedPrice({ model: { pricing }, unit: of }: PriceProps) {
  const { price, unit } = toUnitPrice(pricing, of) ?? { price: NONE, unit: '' };
  return (
    <div className="leading-tight">
      {price}
      {unit !== '' && <p className="text-2xs text-ink-faint">{unit}</p>}
    </div>
  );
}

/** The name without its author, whose logo stands before it, and the whole id. */
function NameCell({ model: { id, name } }: ModelRow) {
  return (
    <span className="flex items-center gap-2.5" title={id}>
      <Logo name={toAuthor(id)} size={18} className="text-ink-soft" />
      <span className="min-w-0 leading-tight">
        <span className="block truncate font-medium">{name.slice(name.indexOf(': ') + 1).trim()}</span>
        <span className="block truncate font-mono text-2xs text-ink-faint group-data-tight/grid:tracking-tight">
          {id}
        </span>
      </span>
    </span>
  );
}

/** From this part of requests on that succeed, failures are exceptions. */
const GOOD = 99;
const POOR = 90;

function Uptime({ percent }: { percent: number | null }) {
  if (percent === null) return NONE;
  const tone = percent < POOR ? 'text-bad' : percent < GOOD ? 'text-caution' : '';
  return <span className={tone}>{formatPercent(percent)}</span>;
}
