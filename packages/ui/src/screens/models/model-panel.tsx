import type { Model, ModelEndpoint } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';

import { endpointsQuery, modelsQuery } from '../../api/queries.ts';
import { formatDuration, formatPercent, formatSpeed, formatTokens } from '../../format/quantity.ts';
import { Badge } from '../../parts/badge.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { Tabs } from '../../parts/controls/tabs.tsx';
import { SidePanel } from '../../parts/dialogs/side-panel.tsx';
import { Facts } from '../../parts/facts.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { EmptyState, Loading } from '../../parts/messages/states.tsx';
import { FormattedText } from '../../parts/text/formatted-text.tsx';
import { JsonTree } from '../../parts/text/json-tree.tsx';
import { OTHER_SNIPPETS, type OtherPathName, SNIPPETS } from '../../shell/base-url.ts';
import { StandingBadge, toStanding } from '../providers/standings.tsx';
import { RateLimitList } from '../settings/rate-limit-list.tsx';
import { ModelUsage } from './model-usage.tsx';
import { toOtherPath } from './other-path.ts';
import { PlanExplanation } from './plan-explanation.tsx';
import { toPriceFacts, toTokenPriceText } from './price-facts.ts';
import { ModelSetupTab } from './setup/model-setup-tab.tsx';

export function ModelPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const { data: models, error, refetch } = useQuery(modelsQuery);
  const [tab, setTab] = useState('about');
  const model = models?.find((candidate) => candidate.id === id);
  const title = (
    <>
      <h2 className="truncate font-semibold">{model?.name ?? id}</h2>
      <p className="flex items-center gap-1 font-mono text-xs text-ink-faint">
        <span className="truncate">{id}</span>
        <CopyButton isIcon look="quiet" text={id} label="Copy the model’s id" className="min-h-6 px-1 py-0" />
      </p>
    </>
  );
  const path = model === undefined ? null : toOtherPath(model);
  const actions = model !== undefined && path === null && (
    <Link
      to="/playground"
      search={{ models: id }}
      className="rounded-md border border-line-strong/50 px-2.5 py-1 text-sm hover:bg-raised"
    >
      Playground
    </Link>
  );
  return (
    <SidePanel title={title} label={`Model ${id}`} onClose={onClose} actions={actions}>
      {error !== null ? (
        <div className="p-4">
          <ErrorPanel error={error} onRetry={() => void refetch()} />
        </div>
      ) : models === undefined ? (
        <Loading what="the model" />
      ) : model === undefined ? (
        <>
          <EmptyState title="There is no such model here">
            It may belong to a provider that is no longer configured, or is not called.
          </EmptyState>
          <ModelSetupTab id={id} />
        </>
      ) : (
        <Tabs
          label="About the model"
          value={tab}
          onChange={setTab}
          tabs={[
            { value: 'about', label: 'About', content: () => <About model={model} /> },
            { value: 'endpoints', label: 'Endpoints', content: () => <Endpoints id={id} /> },
            {
              value: 'usable',
              label: 'Can I use it?',
              content: () => (path === null ? <PlanExplanation model={id} /> : <OtherPath path={path} />),
            },
            { value: 'setup', label: 'Set-up', content: () => <ModelSetupTab id={id} /> },
            { value: 'usage', label: 'My usage', content: () => <ModelUsage id={id} /> },
            { value: 'code', label: 'Code', content: () => <Snippets id={id} path={path} /> },
            {
              value: 'raw',
              label: 'Raw',
              content: () => (
                <div className="flex h-full flex-col">
                  <JsonTree value={model} label="The model as the API lists it" />
                </div>
              ),
            },
          ]}
        />
      )}
    </SidePanel>
  );
}

/** A length of 0 stands for one that is not known, because the wire has no null there. */
const toTokensText = (length: number | null): string =>
  length === null || length === 0 ? 'not known' : formatTokens(length);

function About({ model }: { model: Model }) {
  const { pricing, architecture, supported_parameters: parameters } = model;
  return (
    <div className="scroll-thin flex h-full flex-col gap-5 overflow-y-auto p-4">
      {model.description !== '' && <FormattedText text={model.description} />}
      <Facts
        facts={[
          ['Context', toTokensText(model.context_length)],
          ['Longest completion', toTokensText(model.top_provider.max_completion_tokens)],
          ['Input', toTokenPriceText(pricing, 'prompt')],
          ['Output', toTokenPriceText(pricing, 'completion')],
          ...toPriceFacts(pricing),
          ['Takes', architecture.input_modalities.join(', ')],
          ['Gives', architecture.output_modalities.join(', ')],
          ['Tokenizer', architecture.tokenizer],
          ['Canonical slug', <code className="font-mono text-xs">{model.canonical_slug}</code>],
          ['Knowledge until', model.knowledge_cutoff ?? 'not known'],
          ['Withdrawn on', model.expiration_date ?? 'not announced'],
        ]}
      />
      <RateLimitList model={model.id} />
      <section>
        <h3 className="mb-1.5 text-sm font-semibold">Parameters</h3>
        <div className="flex flex-wrap gap-1">
          {parameters.length === 0 ? (
            <span className="text-sm text-ink-faint">None are listed.</span>
          ) : (
            parameters.map((name) => <Badge key={name}>{name}</Badge>)
          )}
        </div>
      </section>
    </div>
  );
}

function Endpoints({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(endpointsQuery(id));
  if (error !== null) {
    return (
      <div className="p-4">
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      </div>
    );
  }
  if (data === undefined) return <Loading what="endpoints" />;
  if (data.length === 0)
    return <EmptyState title="No provider serves this model now">Its provider may be switched off.</EmptyState>;
  return (
    <ul className="scroll-thin flex h-full flex-col gap-3 overflow-y-auto p-4">
      {data.map((endpoint) => (
        <li key={endpoint.name + endpoint.tag} className="rounded-lg border border-line p-3">
          <Endpoint endpoint={endpoint} />
        </li>
      ))}
    </ul>
  );
}

function Endpoint({ endpoint }: { endpoint: ModelEndpoint }) {
  const { latency_last_30m: latency, throughput_last_30m: throughput } = endpoint;
  return (
    <>
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <h3 className="font-medium">{endpoint.provider_name}</h3>
        <code className="font-mono text-xs text-ink-faint">{endpoint.tag}</code>
        {endpoint.quantization !== null && <Badge>{endpoint.quantization}</Badge>}
        <StandingBadge standing={toStanding(endpoint)} />
      </div>
      <Facts
        facts={[
          ['Input', toTokenPriceText(endpoint.pricing, 'prompt')],
          ['Output', toTokenPriceText(endpoint.pricing, 'completion')],
          ['Context', toTokensText(endpoint.context_length)],
          ['Longest completion', toTokensText(endpoint.max_completion_tokens)],
          [
            'Answered in the last day',
            endpoint.uptime_last_1d === null ? 'no calls yet' : formatPercent(endpoint.uptime_last_1d),
          ],
          [
            'To the first token',
            latency?.['p50'] === undefined ? 'no calls yet' : `${formatDuration(latency['p50'])} (median)`,
          ],
          ['Speed', throughput?.['p50'] === undefined ? 'no calls yet' : `${formatSpeed(throughput['p50'])} (median)`],
        ]}
      />
    </>
  );
}

function OtherPath({ path }: { path: OtherPathName }) {
  return (
    <EmptyState title={`It is called by POST ${path}`}>
      Routes are explained for chats alone, and this model makes no text. Endpoints tells how those who serve it stand.
    </EmptyState>
  );
}

function Snippets({ id, path }: { id: string; path: OtherPathName | null }) {
  const snippets = path === null ? SNIPPETS.filter(({ label }) => /curl|SDK/.test(label)) : [OTHER_SNIPPETS[path]];
  return (
    <div className="scroll-thin flex h-full flex-col gap-4 overflow-y-auto p-4">
      <p className="text-sm text-ink-faint">
        The key is referred to by the variable GATEWAY_API_KEY, so that it is in no file and on no clipboard.
      </p>
      {snippets.map(({ label, toText }) => (
        <section key={label}>
          <div className="mb-1 flex items-center justify-between">
            <h3 className="text-sm font-semibold">{label}</h3>
            <CopyButton look="quiet" text={() => toText(id)} label="Copy" />
          </div>
          <pre
            tabIndex={0}
            aria-label={label}
            className="scroll-thin overflow-x-auto rounded-lg bg-raised p-3 font-mono text-xs"
          >
            {toText(id)}
          </pre>
        </section>
      ))}
    </div>
  );
}
