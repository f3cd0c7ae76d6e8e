import type { Model } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { modelsQuery } from '../../api/queries.ts';
import { SNIPPETS, toOtherSnippet } from '../../app/base-url.ts';
import { type CallKind, toOtherKind } from '../../app/call-kinds.ts';
import { RateLimitList } from '../../features/limits/rate-limits.tsx';
import { toModelParams, toPriceFacts, toTokenPriceText } from '../../features/models/model-facts.ts';
import { OpenPage } from '../../features/resource-page/resource-page.tsx';
import { Badge } from '../../parts/badge.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { LinkButton } from '../../parts/controls/link-button.tsx';
import { Tabs } from '../../parts/controls/tabs.tsx';
import { SidePanel } from '../../parts/dialogs/side-panel.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/messages/loaded.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import { FormattedText } from '../../parts/text/formatted-text.tsx';
import { JsonTree } from '../../parts/text/json-tree.tsx';
import { ModelEndpoints, toTokensText } from './model-endpoints.tsx';
import { ModelUsage } from './model-usage.tsx';
import { PlanExplanation } from './plan-explanation.tsx';
import { ModelSetupTab } from './setup/model-setup-tab.tsx';

export function ModelPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useQuery(modelsQuery);
  const [tab, setTab] = useState('about');
  const model = query.data?.find((candidate) => candidate.id === id);
  const title = (
    <>
      <h2 className="truncate font-semibold">{model?.name ?? id}</h2>
      <p className="flex items-center gap-1 font-mono text-xs text-ink-faint">
        <span className="truncate">{id}</span>
        <CopyButton isIcon look="quiet" text={id} label="Copy the model’s id" />
      </p>
    </>
  );
  const kind = model === undefined ? null : toOtherKind(model);
  const actions = model !== undefined && (
    <>
      {kind === null && (
        <LinkButton to="/playground" search={{ models: id }}>
          Playground
        </LinkButton>
      )}
      <OpenPage to="/models/$author/$" params={toModelParams(id)} />
    </>
  );
  return (
    <SidePanel title={title} label={`Model ${id}`} onClose={onClose} actions={actions}>
      <Loaded what="the model" query={query} data={query.data}>
        {() =>
          model === undefined ? (
            <>
              <EmptyState title="Model not found">Its provider may have been removed or disabled.</EmptyState>
              <ModelSetupTab id={id} />
            </>
          ) : (
            <ModelTabs model={model} tab={tab} onTab={setTab} />
          )
        }
      </Loaded>
    </SidePanel>
  );
}

interface ModelTabsProps {
  readonly model: Model;
  readonly tab: string;
  readonly onTab: (tab: string) => void;
}

function ModelTabs({ model, tab, onTab }: ModelTabsProps) {
  const { id } = model;
  const kind = toOtherKind(model);
  return (
    <Tabs
      label="Model"
      value={tab}
      onChange={onTab}
      tabs={[
        { value: 'about', label: 'About', content: () => <About model={model} /> },
        {
          value: 'endpoints',
          label: 'Endpoints',
          content: () => (
            <div className="scroll-thin h-full overflow-y-auto p-4">
              <ModelEndpoints id={id} />
            </div>
          ),
        },
        {
          value: 'usable',
          label: 'Availability',
          content: () => (kind === null ? <PlanExplanation model={id} /> : <OtherPath kind={kind} />),
        },
        { value: 'setup', label: 'Set-up', content: () => <ModelSetupTab id={id} /> },
        { value: 'usage', label: 'Usage', content: () => <ModelUsage id={id} /> },
        { value: 'code', label: 'Code', content: () => <Snippets id={id} kind={kind} /> },
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
  );
}

function About({ model }: { model: Model }) {
  const { pricing, architecture, supported_parameters: parameters } = model;
  return (
    <div className="scroll-thin flex h-full flex-col gap-5 overflow-y-auto p-4">
      {model.description !== '' && <FormattedText text={model.description} />}
      <Facts
        facts={[
          ['Context', toTokensText(model.context_length)],
          ['Max completion', toTokensText(model.top_provider.max_completion_tokens)],
          ['Input', toTokenPriceText(pricing, 'prompt')],
          ['Output', toTokenPriceText(pricing, 'completion')],
          ...toPriceFacts(pricing),
          ['Takes', architecture.input_modalities.join(', ')],
          ['Gives', architecture.output_modalities.join(', ')],
          ['Tokenizer', architecture.tokenizer],
          ['Canonical slug', <code className="font-mono text-xs">{model.canonical_slug}</code>],
          ['Knowledge cutoff', model.knowledge_cutoff ?? 'unknown'],
          ['Retired on', model.expiration_date ?? 'not announced'],
        ]}
      />
      <RateLimitList model={model.id} />
      <section>
        <h3 className="mb-1.5 text-sm font-semibold">Parameters</h3>
        <div className="flex flex-wrap gap-1">
          {parameters.length === 0 ? (
            <span className="text-sm text-ink-faint">None listed.</span>
          ) : (
            parameters.map((name) => <Badge key={name}>{name}</Badge>)
          )}
        </div>
      </section>
    </div>
  );
}

function OtherPath({ kind: { path } }: { kind: CallKind }) {
  return (
    <EmptyState title={`Call it with POST ${path}`}>
      Routing is explained for chat models only. See Endpoints for their health.
    </EmptyState>
  );
}

function Snippets({ id, kind }: { id: string; kind: CallKind | null }) {
  const snippets = kind === null ? SNIPPETS.filter(({ label }) => /curl|SDK/.test(label)) : [toOtherSnippet(kind)];
  return (
    <div className="scroll-thin flex h-full flex-col gap-4 overflow-y-auto p-4">
      <p className="text-sm text-ink-faint">The snippets read the key from GATEWAY_API_KEY, so it is not copied.</p>
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
