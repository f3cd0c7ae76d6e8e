import { Link } from '@tanstack/react-router';

import { providerMessages } from '../../features/providers/messages.ts';
import type { ProviderState } from '../../features/providers/provider-queries.ts';
import { type EndpointState, ENDPOINT_STATES } from '../../features/providers/provider-states.tsx';
import { formatCount } from '../../format/quantity.ts';
import { Facts } from '../../parts/facts.tsx';
import { providersMessages } from './messages.ts';

/** How a provider is reached, and what it serves. */
export function StateFacts({ state }: { state: ProviderState }) {
  const t = providersMessages().facts;
  const { slug, host, has_key: hasKey, byok, discovers_models: discovers, models, models_left_out: leftOut } = state;
  return (
    <Facts
      facts={[
        [t.slug, <code className="font-mono text-xs">{slug}</code>],
        // A provider that is replayed, or that the host application has made, tells neither.
        ...(host === null ? [] : [[t.host, host] as const]),
        ...(hasKey === null && !byok ? [] : [[t.key, toKeyText(hasKey, byok)] as const]),
        [
          t.models,
          <Link to="/models" search={{ providers: slug }} className="text-accent underline">
            {formatCount(models)}
          </Link>,
        ],
        ...(leftOut === null ? [] : [[t.leftOut, toLeftOutText(leftOut)] as const]),
        [t.list, discovers ? t.refreshed : t.notRead],
      ]}
    />
  );
}

function toLeftOutText({
  surplus,
  long_names: long,
  unfit_names: unfit,
}: NonNullable<ProviderState['models_left_out']>) {
  const t = providersMessages().facts;
  const reasons = [
    surplus > 0 ? t.surplus(formatCount(surplus), formatCount(20_000)) : '',
    long > 0 ? t.longNames(formatCount(long)) : '',
    unfit > 0 ? t.unfitNames(formatCount(unfit)) : '',
  ];
  return reasons.filter((reason) => reason !== '').join('; ');
}

function toKeyText(hasKey: boolean | null, byok: boolean): string {
  const t = providersMessages().facts;
  const key = hasKey === null ? t.unknown : hasKey ? t.set : t.none;
  return byok ? t.own(key) : key;
}

/** Its endpoints by how they stand; states without any are left out. */
export function EndpointStateTable({ endpoints }: { endpoints: ProviderState['health']['endpoints'] }) {
  const { facts: t, page } = providersMessages();
  const words = providerMessages().endpoints;
  const states = (Object.keys(ENDPOINT_STATES) as EndpointState[]).filter((name) => endpoints[name] > 0);
  const total = Math.max(
    1,
    Object.values(endpoints).reduce((sum, count) => sum + count, 0),
  );
  return (
    <table className="w-full text-sm">
      <caption className="sr-only">{t.byState}</caption>
      <thead className="sr-only">
        <tr>
          <th scope="col">{t.state}</th>
          <th scope="col">{page.endpoints}</th>
          <th scope="col">{t.share}</th>
        </tr>
      </thead>
      <tbody>
        {states.map((name) => (
          <tr key={name} className="border-b border-line/70 last:border-0">
            <th scope="row" className="py-1.5 pr-3 text-left align-top font-normal">
              {words[name].label}
              <span className="block text-xs text-ink-faint">{words[name].meaning}</span>
            </th>
            <td className="figures w-12 py-1.5 pr-3 text-right align-top">{formatCount(endpoints[name])}</td>
            <td className="w-1/3 py-1.5 align-top">
              <span aria-hidden="true" className="mt-1.5 block h-2 overflow-hidden rounded-full bg-raised">
                <span
                  className={`block h-full ${ENDPOINT_STATES[name].bar}`}
                  style={{ width: `${(endpoints[name] / total) * 100}%` }}
                />
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
