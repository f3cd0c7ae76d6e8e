import { Link } from '@tanstack/react-router';

import type { ProviderState } from '../../features/providers/provider-queries.ts';
import { type EndpointState, ENDPOINT_STATES } from '../../features/providers/provider-states.tsx';
import { formatCount } from '../../format/quantity.ts';
import { Facts } from '../../parts/facts.tsx';

/** How a provider is reached, and what it serves. */
export function StateFacts({ state }: { state: ProviderState }) {
  const { slug, host, has_key: hasKey, byok, discovers_models: discovers, models, models_left_out: leftOut } = state;
  return (
    <Facts
      facts={[
        ['Slug', <code className="font-mono text-xs">{slug}</code>],
        ['Host', host ?? 'unknown'],
        ['Key', toKeyText(hasKey, byok)],
        [
          'Models',
          <Link to="/models" search={{ providers: slug }} className="text-accent underline">
            {formatCount(models)}
          </Link>,
        ],
        ...(leftOut === null ? [] : [['Models left out', toLeftOutText(leftOut)] as const]),
        ['Model list', discovers ? 'refreshed every minute' : 'not read'],
      ]}
    />
  );
}

function toLeftOutText({
  surplus,
  long_names: long,
  unfit_names: unfit,
}: NonNullable<ProviderState['models_left_out']>) {
  const reasons = [
    surplus > 0 ? `${formatCount(surplus)} beyond the limit of ${formatCount(20_000)}` : '',
    long > 0 ? `${formatCount(long)} with names longer than 256 characters` : '',
    unfit > 0 ? `${formatCount(unfit)} with names that are invalid in a URL` : '',
  ];
  return reasons.filter((reason) => reason !== '').join('; ');
}

function toKeyText(hasKey: boolean | null, byok: boolean): string {
  const own = byok ? '; callers may bring their own' : '';
  if (hasKey === null) return `unknown${own}`;
  return `${hasKey ? 'set' : 'none'}${own}`;
}

/** Its endpoints by how they stand. */
export function EndpointStateTable({ endpoints }: { endpoints: ProviderState['health']['endpoints'] }) {
  const total = Math.max(
    1,
    Object.values(endpoints).reduce((sum, count) => sum + count, 0),
  );
  return (
    <table className="w-full text-sm">
      <caption className="sr-only">Endpoints by health</caption>
      <thead className="sr-only">
        <tr>
          <th scope="col">State</th>
          <th scope="col">Endpoints</th>
          <th scope="col">Share</th>
        </tr>
      </thead>
      <tbody>
        {(Object.keys(ENDPOINT_STATES) as EndpointState[]).map((name) => (
          <tr key={name} className="border-b border-line/70 last:border-0">
            <th scope="row" className="py-1.5 pr-3 text-left align-top font-normal">
              {ENDPOINT_STATES[name].label}
              <span className="block text-xs text-ink-faint">{ENDPOINT_STATES[name].meaning}</span>
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
