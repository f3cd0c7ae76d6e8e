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
import { LabelledSelect } from '../../parts/controls/labelled.tsx';
import { Logo } from '../../parts/logo.tsx';
import { Loaded } from '../../parts/messages/loaded.tsx';
import { modelsMessages } from './messages.tsx';

/** Whether a request for the model would be served now, by whom first, and what stands in the way of the others. */
export function PlanExplanation({ model }: { model: string }) {
  const t = modelsMessages().plan;
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
    <div className="flex flex-col gap-3">
      <LabelledSelect
        label={t.key}
        value={key}
        options={[
          ['', t.any],
          ...keys.filter(({ management }) => !management).map(({ hash, name }) => [hash, name] as const),
        ]}
        onChange={setKey}
      />
      <Loaded what={t.what} failure={t.failure} query={plan} data={plan.data?.data} isFlush>
        {({ routing_rule: rule, requested, endpoints }) => (
          <>
            {rule !== undefined && <p className="text-sm text-ink-soft">{t.rule(rule, requested)}</p>}
            <Plan endpoints={endpoints} />
          </>
        )}
      </Loaded>
    </div>
  );
}

function Plan({ endpoints }: { endpoints: readonly EndpointExplanation[] }) {
  const t = modelsMessages().plan;
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
            {(answersNothing ? t.yesButFailing : t.yes)(included.length, endpoints.length)}
          </>
        ) : (
          <>
            <CircleSlash size={17} className="text-bad" /> {t.no}
          </>
        )}
      </p>
      <ol className="flex flex-col gap-2">
        {endpoints.map((endpoint) => (
          <li key={`${endpoint.provider} ${endpoint.model}`} className="rounded-lg border border-line p-3 text-sm">
            <div className="flex flex-wrap items-center gap-2">
              {endpoint.included ? (
                <Badge tone="good">{t.tried(endpoint.rank ?? 1)}</Badge>
              ) : (
                <Badge tone="bad">{t.excluded}</Badge>
              )}
              <Logo name={endpoint.provider} className="text-ink-soft" />
              <span className="font-medium">{endpoint.provider_name}</span>
              <code className="font-mono text-xs text-ink-faint">{endpoint.provider_model}</code>
              <span className="flex-1" />
              <EndpointStateBadge state={toEndpointState(endpoint.health)} />
            </div>
            <p className="mt-1 text-ink-soft">
              {endpoint.rule === null
                ? t.price(
                    formatPricePerMillion(endpoint.price.prompt),
                    formatPricePerMillion(endpoint.price.completion),
                  )
                : toRuleText(endpoint.rule, endpoint.guardrail_id)}
            </p>
          </li>
        ))}
      </ol>
    </>
  );
}
