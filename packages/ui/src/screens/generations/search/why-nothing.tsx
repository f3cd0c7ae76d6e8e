import { useQueries, useQuery } from '@tanstack/react-query';

import { modelsQuery } from '../../../api/queries.ts';
import {
  FILTER_PARTS,
  type GenerationSearch,
  withoutFilters,
} from '../../../features/generations/search/generation-search.ts';
import { formatCount } from '../../../format/quantity.ts';
import { Button } from '../../../parts/controls/button.tsx';
import type { ChangeSearch } from './filter-bar.tsx';
import { countQuery } from './generation-counts.ts';
import { generationSearchMessages } from './messages.ts';

const MAX_NAMES = 5;

/** Which of the filters leaves nothing over, with a way to do without it. */
export function WhyNothing({ search, onChange }: { search: GenerationSearch; onChange: ChangeSearch }) {
  const t = generationSearchMessages().nothing;
  const { text } = search;
  const { data: fitting } = useQuery({ ...countQuery(search), enabled: text !== undefined });
  const parts = FILTER_PARTS.filter(({ names }) => names.some((name) => search[name] !== undefined));
  const counts = useQueries({
    queries: parts.map(({ names }) => ({
      ...countQuery(withoutFilters(search, names)),
      enabled: text === undefined || fitting === 0,
    })),
  });
  if (text !== undefined && fitting === undefined) return null;
  if (text !== undefined && fitting !== undefined && fitting !== 0) {
    return (
      <>
        <p>{t.noText(fitting, formatCount(fitting), text)}</p>
        <Button onClick={() => onChange({ text: undefined })}>{t.withoutText}</Button>
      </>
    );
  }
  const alone = parts.flatMap((part, at) => {
    const count = counts[at]?.data ?? 0;
    return count > 0 ? [{ ...part, count }] : [];
  });
  return (
    <>
      <ModelNames search={search} onChange={onChange} />
      {alone.map(({ part, names, count }) => (
        <Button key={part} onClick={() => onChange(Object.fromEntries(names.map((name) => [name, undefined])))}>
          {t.without(t.parts[part], count, formatCount(count))}
        </Button>
      ))}
      {parts.length > 1 && alone.length === 0 && counts.every(({ isSuccess }) => isSuccess) && <p>{t.evenWithout}</p>}
    </>
  );
}

/** Where a model is not named whole, those that may be meant. */
function ModelNames({ search: { model }, onChange }: { search: GenerationSearch; onChange: ChangeSearch }) {
  const t = generationSearchMessages().nothing;
  const { data: models = [] } = useQuery({ ...modelsQuery, enabled: model !== undefined });
  if (model === undefined || models.length === 0 || models.some(({ id }) => model.split(',').includes(id))) return null;
  const meant = models.filter(({ id }) => id.includes(model.toLowerCase())).slice(0, MAX_NAMES);
  return (
    <>
      <p>
        {t.unknownModel(model)}
        {meant.length > 0 && ` ${t.didYouMean}`}
      </p>
      <div className="flex flex-wrap justify-center gap-2">
        {meant.map(({ id }) => (
          <Button key={id} className="font-mono text-xs" onClick={() => onChange({ model: id })}>
            {id}
          </Button>
        ))}
      </div>
    </>
  );
}
