import type { RateLimitList } from '@model-gateway/core/wire';
import { queryOptions, useQuery } from '@tanstack/react-query';

import { callApi } from '../../api/call-api.ts';
import { allKeysQuery, rateLimitsQuery } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { formatCount } from '../../format/quantity.ts';
import { Loaded } from '../../parts/messages/loaded.tsx';
import { limitsMessages } from './messages.ts';
import { RateLimitForm } from './rate-limit-form.tsx';
import { describeRateLimit, type RateLimitRule, useKeyNames } from './rate-limits.tsx';
import { LimitActions, StoredLimits } from './stored-limits.tsx';

/** The limits, and whether they can be changed here. */
const rateLimitListQuery = queryOptions({
  queryKey: [...rateLimitsQuery.queryKey, 'list'],
  queryFn: ({ signal }) => callApi<RateLimitList>('/admin/v1/rate-limits', { signal }),
});

async function putRateLimits(rules: readonly RateLimitRule[]): Promise<void> {
  await callApi('/admin/v1/rate-limits', { method: 'PUT', body: { data: rules } });
  await queryClient.invalidateQueries({ queryKey: rateLimitsQuery.queryKey });
}

/** All rate limits; those that the configuration does not set are added, changed and deleted here. */
export function RateLimitsSection() {
  const t = limitsMessages();
  const query = useQuery(rateLimitListQuery);
  return (
    <section aria-label={t.title} className="flex flex-col gap-3">
      <Loaded what={t.what} failure={t.notLoaded} query={query} data={query.data} isFlush>
        {(list) => <LoadedSection list={list} />}
      </Loaded>
    </section>
  );
}

function LoadedSection({ list: { data, changeable } }: { list: RateLimitList }) {
  const t = limitsMessages();
  return (
    <StoredLimits
      texts={t}
      stored={toStored(data)}
      isSame={isSame}
      load={loadStored}
      put={putRateLimits}
      canAdd={changeable}
      form={RateLimitForm}
    >
      {({ edit, remove }) =>
        data.length === 0 ? (
          <p className="text-sm text-ink-faint">{changeable ? t.none : t.uncounted}</p>
        ) : (
          <RateLimitTable
            rules={data}
            onEdit={(rule) => edit(toRule(rule))}
            onDelete={(rule) => remove(toRule(rule))}
          />
        )
      }
    </StoredLimits>
  );
}

type ShownRule = RateLimitList['data'][number];

const toRule = ({ source: _, ...rule }: ShownRule): RateLimitRule => rule;

const toStored = (rules: readonly ShownRule[]): readonly RateLimitRule[] =>
  rules.filter(({ source }) => source === 'stored').map(toRule);

const loadStored = async (): Promise<readonly RateLimitRule[]> =>
  toStored((await queryClient.fetchQuery({ ...rateLimitListQuery, staleTime: 0 })).data);

/** Each key and model has one limit. */
const isSame = (one: RateLimitRule, other: RateLimitRule): boolean =>
  one.key === other.key && one.model === other.model;

interface RateLimitTableProps {
  readonly rules: readonly ShownRule[];
  readonly onEdit: (rule: ShownRule) => void;
  readonly onDelete: (rule: ShownRule) => void;
}

function RateLimitTable({ rules, onEdit, onDelete }: RateLimitTableProps) {
  const t = limitsMessages();
  const { data: keys } = useQuery(allKeysQuery);
  const nameOf = useKeyNames();
  const isHash = (key: string): boolean => /^[0-9a-f]{64}$/.test(key);
  const toKey = (key: string): string => {
    if (key === '*') return t.eachKey;
    const isGone = keys !== undefined && isHash(key) && keys.every(({ hash }) => hash !== key);
    return isGone ? t.deletedKey(`${key.slice(0, 8)}…`) : nameOf(key);
  };
  const toCount = (count: number | null): string => (count === null ? t.noLimit : formatCount(count));
  return (
    <div className="scroll-thin relative overflow-x-auto">
      <table className="figures w-full text-sm">
        <thead>
          <tr className="text-left text-xs text-ink-faint">
            <th scope="col" className="py-1.5 pr-4 font-medium">
              {t.columns.key}
            </th>
            <th scope="col" className="py-1.5 pr-4 font-medium">
              {t.columns.model}
            </th>
            <th scope="col" className="py-1.5 pr-4 text-right font-medium whitespace-nowrap">
              {t.columns.requests}
            </th>
            <th scope="col" className="py-1.5 pr-4 text-right font-medium whitespace-nowrap">
              {t.columns.tokens}
            </th>
            <th scope="col" className="w-8">
              <span className="sr-only">{t.columns.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rules.map((rule) => (
            <tr key={`${rule.source} ${rule.key} ${rule.model}`} className="h-9 border-t border-line/60">
              <td className="max-w-48 truncate pr-4 font-medium" title={toKey(rule.key)}>
                {toKey(rule.key)}
              </td>
              <td className="max-w-56 truncate pr-4" title={rule.model}>
                {rule.model === '*' ? t.allModels : rule.model}
              </td>
              <td className="pr-4 text-right">{toCount(rule.requests_per_minute)}</td>
              <td className="pr-4 text-right">{toCount(rule.tokens_per_minute)}</td>
              <td className="text-right">
                <LimitActions
                  source={rule.source}
                  texts={t}
                  label={t.actionsFor(describeRateLimit(rule, nameOf))}
                  onEdit={() => onEdit(rule)}
                  onDelete={() => onDelete(rule)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
