import type { EndpointExplanation, RoutingExplanation } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, CircleSlash } from 'lucide-react';
import { useState } from 'react';

import { callApi } from '../../api/call-api.ts';
import { keysQuery } from '../../api/queries.ts';
import { toRuleText } from '../../features/models/rule-text.ts';
import { EndpointStateBadge, toEndpointState } from '../../features/providers/provider-states.tsx';
import { formatPricePerMillion } from '../../format/money.ts';
import { Badge } from '../../parts/badge.tsx';
import { OptionList } from '../../parts/controls/select.tsx';
import { Loaded } from '../../parts/messages/loaded.tsx';

/** Whether a request for the model would be served now, by whom first, and what stands in the way of the others. */
export function PlanExplanation({ model }: { model: string }) {
  const [key, setKey] = useState('');
  const { data: keys = [] } = useQuery(keysQuery);
  const plan = useQuery({
    queryKey: ['explain', model, key],
    queryFn: ({ signal }) =>
      callApi<{ data: RoutingExplanation }>('/admin/v1/explain', {
        method: 'POST',
        query: { key },
        body: { model, messages: [{ role: 'user', content: 'Hello' }] },
        signal,
      }),
  });
  return (
    <div className="scroll-thin flex h-full flex-col gap-3 overflow-y-auto p-4">
      <label className="text-sm">
        <span className="font-medium">For the key</span>
        <select className="field mt-1" value={key} onChange={(event) => setKey(event.target.value)}>
          <OptionList
            options={[
              ['', 'any'],
              ...keys.filter(({ management }) => !management).map(({ hash, name }) => [hash, name] as const),
            ]}
          />
        </select>
      </label>
      <Loaded what="the plan" failure="It can’t be used" query={plan} data={plan.data?.data} isFlush>
        {({ routing_rule: rule, requested, endpoints }) => (
          <>
            {rule !== undefined && (
              <p className="text-sm text-ink-soft">
                The rule {rule} sends this call to <code className="font-mono text-xs">{requested}</code>:
              </p>
            )}
            <Plan endpoints={endpoints} />
          </>
        )}
      </Loaded>
    </div>
  );
}

function Plan({ endpoints }: { endpoints: readonly EndpointExplanation[] }) {
  const included = endpoints.filter((endpoint) => endpoint.included);
  const answersNothing = included.every(({ health }) => ['failing', 'open'].includes(toEndpointState(health)));
  return (
    <>
      <p className="flex items-center gap-2 text-sm font-medium" role="status">
        {included.length > 0 ? (
          <>
            {answersNothing ? (
              <CircleAlert size={17} className="text-caution" />
            ) : (
              <CircleCheck size={17} className="text-good" />
            )}{' '}
            Yes: {included.length} of {endpoints.length} {endpoints.length === 1 ? 'endpoint' : 'endpoints'} would be
            tried
            {answersNothing ? ', but none has responded recently.' : '.'}
          </>
        ) : (
          <>
            <CircleSlash size={17} className="text-bad" /> No: every endpoint is excluded.
          </>
        )}
      </p>
      <ol className="flex flex-col gap-2">
        {endpoints.map((endpoint) => (
          <li key={`${endpoint.provider} ${endpoint.model}`} className="rounded-lg border border-line p-3 text-sm">
            <div className="flex flex-wrap items-center gap-2">
              {endpoint.included ? (
                <Badge tone="good">asked {toOrdinal(endpoint.rank)}</Badge>
              ) : (
                <Badge tone="bad">excluded</Badge>
              )}
              <span className="font-medium">{endpoint.provider_name}</span>
              <code className="font-mono text-xs text-ink-faint">{endpoint.provider_model}</code>
              <span className="flex-1" />
              <EndpointStateBadge state={toEndpointState(endpoint.health)} />
            </div>
            <p className="mt-1 text-ink-soft">
              {endpoint.rule === null
                ? `${formatPricePerMillion(endpoint.price.prompt)} in, ${formatPricePerMillion(endpoint.price.completion)} out per million tokens.`
                : toRuleText(endpoint.rule, endpoint.guardrail_id)}
            </p>
          </li>
        ))}
      </ol>
    </>
  );
}

const toOrdinal = (rank: number | null): string => ['first', 'second', 'third'][(rank ?? 1) - 1] ?? `${rank}th`;
