import type { ActivityItem } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import { activityQuery } from '../../api/queries.ts';
import { formatUsdInColumn } from '../../format/money.ts';
import { formatCount } from '../../format/quantity.ts';
import { perLocale } from '../../messages/locale.ts';
import { Loaded } from '../../parts/messages/loaded.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import { modelsMessages } from './messages.tsx';

/** `Mar 1`. The gateway adds up by days of UTC. */
const dayFormat = perLocale(
  ({ tag }) => new Intl.DateTimeFormat(tag, { month: 'short', day: 'numeric', timeZone: 'UTC' }),
);

export function ModelUsage({ id }: { id: string }) {
  const t = modelsMessages().usage;
  const query = useQuery(activityQuery);
  return (
    <Loaded what={t.what} query={query} data={query.data}>
      {(activity) => <UsageTable id={id} {...toUsageByDay(activity, id)} />}
    </Loaded>
  );
}

function UsageTable({ id, days, total }: ReturnType<typeof toUsageByDay> & { id: string }) {
  const t = modelsMessages().usage;
  if (days.length === 0) return <EmptyState title={t.none}>{t.tryIt}</EmptyState>;
  return (
    <div className="scroll-thin flex h-full flex-col gap-3 overflow-y-auto p-4 text-sm">
      <div className="overflow-x-auto">
        <table className="figures w-full">
          <thead>
            <tr className="border-b border-line text-right text-xs text-ink-faint">
              {t.heads.map((name) => (
                <th key={name} scope="col" className="py-1.5 pl-3 font-medium first:pl-0 first:text-left">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map((day) => (
              <Row key={day.date} label={dayFormat().format(Date.parse(day.date))} usage={day} />
            ))}
          </tbody>
          <tfoot className="font-medium">
            <Row label={t.total} usage={total} />
          </tfoot>
        </table>
      </div>
      <Link to="/generations" search={{ model: id, range: '30d' }} className="self-start text-accent underline">
        {t.show}
      </Link>
    </div>
  );
}

function Row({ label, usage }: { label: string; usage: Omit<UsageOfDay, 'date'> }) {
  const { requests, promptTokens, completionTokens, usd } = usage;
  const cells = [
    formatCount(requests),
    formatCount(promptTokens),
    formatCount(completionTokens),
    formatUsdInColumn(usd),
  ];
  return (
    <tr className="border-b border-line/60 text-right">
      <th scope="row" className="py-1.5 text-left font-[inherit]">
        {label}
      </th>
      {cells.map((text, at) => (
        <td key={at} className="py-1.5 pl-3">
          {text}
        </td>
      ))}
    </tr>
  );
}

interface UsageOfDay {
  /** `2026-03-01` */
  readonly date: string;
  readonly requests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly usd: number;
}

const NOTHING = { requests: 0, promptTokens: 0, completionTokens: 0, usd: 0 };

/** Adds up a model's activity over its endpoints, newest day first; days without any are left out. */
export function toUsageByDay(
  items: readonly ActivityItem[],
  model: string,
): { readonly days: readonly UsageOfDay[]; readonly total: Omit<UsageOfDay, 'date'> } {
  const byDay = new Map<string, Omit<UsageOfDay, 'date'>>();
  let total: Omit<UsageOfDay, 'date'> = NOTHING;
  for (const item of items) {
    if (item.model !== model) continue;
    const date = item.date.slice(0, 10);
    byDay.set(date, add(byDay.get(date) ?? NOTHING, item));
    total = add(total, item);
  }
  const days = [...byDay].map(([date, usage]) => ({ date, ...usage }));
  return { days: days.toSorted((a, b) => b.date.localeCompare(a.date)), total };
}

const add = (sum: Omit<UsageOfDay, 'date'>, item: ActivityItem): Omit<UsageOfDay, 'date'> => ({
  requests: sum.requests + item.requests,
  promptTokens: sum.promptTokens + item.prompt_tokens,
  completionTokens: sum.completionTokens + item.completion_tokens,
  // What was paid to providers directly was spent, too.
  usd: sum.usd + item.usage + item.byok_usage_inference,
});
