import type { ModelEndpoint } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import { endpointsQuery } from '../../api/queries.ts';
import { providerSlugOf, toPriceFacts, toTokenPriceText } from '../../features/models/model-facts.ts';
import { EndpointStateBadge, toEndpointState } from '../../features/providers/provider-states.tsx';
import { formatDuration, formatPercent, formatSpeed, formatTokens } from '../../format/quantity.ts';
import { Badge } from '../../parts/badge.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Logo } from '../../parts/logo.tsx';
import { NotLoaded } from '../../parts/messages/loaded.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import { modelsMessages } from './messages.tsx';

/** A length of 0 stands for one that is not known, because the wire has no null there. */
export const toTokensText = (length: number | null): string =>
  length === null || length === 0 ? modelsMessages().endpoints.unknown : formatTokens(length);

/** Who serves a model, at which price, and how each stands. */
export function ModelEndpoints({ id }: { id: string }) {
  const t = modelsMessages().endpoints;
  const query = useQuery(endpointsQuery(id));
  const { data, error } = query;
  if (data === undefined || error !== null)
    return <NotLoaded what={t.what} failure={t.failure} query={query} isFlush />;
  if (data.length === 0) return <EmptyState title={t.none}>{t.noneHint}</EmptyState>;
  return (
    <ul className="flex flex-col gap-3">
      {data.map((endpoint) => (
        <li key={endpoint.name + endpoint.tag} className="rounded-lg border border-line p-3">
          <Endpoint endpoint={endpoint} />
        </li>
      ))}
    </ul>
  );
}

function Endpoint({ endpoint }: { endpoint: ModelEndpoint }) {
  const t = modelsMessages().endpoints;
  const { latency_last_30m: latency, throughput_last_30m: throughput } = endpoint;
  return (
    <>
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <Logo name={providerSlugOf(endpoint)} className="text-ink-soft" />
        <h3 className="font-medium">
          <Link to="/providers/$slug" params={{ slug: providerSlugOf(endpoint) }} className="leading-6 hover:underline">
            {endpoint.provider_name}
          </Link>
        </h3>
        <code className="font-mono text-xs text-ink-faint">{endpoint.tag}</code>
        {endpoint.quantization !== null && <Badge>{endpoint.quantization}</Badge>}
        <EndpointStateBadge state={toEndpointState(endpoint)} />
      </div>
      <Facts
        facts={[
          [t.input, toTokenPriceText(endpoint.pricing, 'prompt')],
          [t.output, toTokenPriceText(endpoint.pricing, 'completion')],
          ...toPriceFacts(endpoint.pricing),
          [t.context, toTokensText(endpoint.context_length)],
          [t.maxOutput, toTokensText(endpoint.max_completion_tokens)],
          // What no request has told is left out: the badge says that there were none.
          ...(endpoint.uptime_last_1d === null ? [] : [[t.success, formatPercent(endpoint.uptime_last_1d)] as const]),
          ...(latency?.['p50'] === undefined ? [] : [[t.firstToken, formatDuration(latency['p50'])] as const]),
          ...(throughput?.['p50'] === undefined ? [] : [[t.speed, formatSpeed(throughput['p50'])] as const]),
        ]}
      />
    </>
  );
}
