import type { Model } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';

import { modelsQuery } from '../../api/queries.ts';
import { type CallKind, toOtherKind, toPlaygroundOf } from '../../app/call-kinds.ts';
import { RateLimitList } from '../../features/limits/rate-limits.tsx';
import { toModelParams, toPriceFacts, toTokenPriceText } from '../../features/models/model-facts.ts';
import { modelSetupsQuery } from '../../features/models/model-setup-queries.ts';
import { OpenPage } from '../../features/resource-page/resource-page.tsx';
import { Badge } from '../../parts/badge.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { LinkButton } from '../../parts/controls/link-button.tsx';
import { Tabs } from '../../parts/controls/tabs.tsx';
import { SidePanel } from '../../parts/dialogs/side-panel.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Logo, toAuthor } from '../../parts/logo.tsx';
import { Loaded } from '../../parts/messages/loaded.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import { FormattedText } from '../../parts/text/formatted-text.tsx';
import { JsonTree } from '../../parts/text/json-tree.tsx';
import { modelsMessages } from './messages.tsx';
import { ModelCode } from './model-code.tsx';
import { ModelEndpoints, toTokensText } from './model-endpoints.tsx';
import { ModelUsage } from './model-usage.tsx';
import { PlanExplanation } from './plan-explanation.tsx';
import { ModelSetupTab } from './setup/model-setup-tab.tsx';

export function ModelPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const t = modelsMessages().page;
  const query = useQuery(modelsQuery);
  const { data: setups } = useQuery(modelSetupsQuery);
  const [tab, setTab] = useState('about');
  const model = query.data?.find((candidate) => candidate.id === id);
  const title = (
    <>
      <h2 className="flex items-center gap-2 font-semibold">
        <Logo name={toAuthor(id)} size={18} className="text-ink-soft" />
        <span className="truncate">{model?.name ?? id}</span>
      </h2>
      <p className="flex items-center gap-1 font-mono text-xs text-ink-faint">
        <span className="truncate">{id}</span>
        <CopyButton isIcon look="quiet" text={id} label={t.copyId} />
      </p>
    </>
  );
  const tried = model === undefined ? null : toPlaygroundOf(model);
  const actions = model !== undefined && (
    <>
      {tried !== null && (
        <LinkButton to="/playground" search={tried}>
          {t.playground}
        </LinkButton>
      )}
      <OpenPage to="/models/$author/$" params={toModelParams(id)} />
    </>
  );
  return (
    <SidePanel title={title} label={t.label(id)} onClose={onClose} actions={actions}>
      <Loaded what={t.loading} query={query} data={query.data}>
        {() =>
          model === undefined ? (
            <>
              <EmptyState title={t.missing}>{t.why}</EmptyState>
              {setups?.data.some((setup) => setup.id === id) === true && (
                <div className="p-4">
                  <ModelSetupTab id={id} />
                </div>
              )}
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
  const t = modelsMessages().page;
  const { id } = model;
  const kind = toOtherKind(model);
  return (
    <Tabs
      label={t.tabs}
      value={tab}
      onChange={onTab}
      tabs={[
        { value: 'about', label: t.about, content: () => <About model={model} /> },
        {
          value: 'endpoints',
          label: t.endpoints,
          content: () => (
            <Scrolling>
              <ModelEndpoints id={id} />
            </Scrolling>
          ),
        },
        {
          value: 'usable',
          label: t.availability,
          content: () => (
            <Scrolling>{kind === null ? <PlanExplanation model={id} /> : <OtherPath kind={kind} />}</Scrolling>
          ),
        },
        {
          value: 'setup',
          label: t.setup,
          content: () => (
            <Scrolling>
              <ModelSetupTab id={id} />
            </Scrolling>
          ),
        },
        { value: 'usage', label: t.usage, content: () => <ModelUsage id={id} /> },
        {
          value: 'code',
          label: t.code,
          content: () => (
            <Scrolling>
              <ModelCode id={id} kind={kind} />
            </Scrolling>
          ),
        },
        {
          value: 'raw',
          label: t.raw,
          content: () => (
            <div className="flex h-full flex-col">
              <JsonTree value={model} label={t.rawLabel} />
            </div>
          ),
        },
      ]}
    />
  );
}

function About({ model }: { model: Model }) {
  const t = modelsMessages().page;
  const { pricing, architecture, supported_parameters: parameters } = model;
  return (
    <div className="scroll-thin flex h-full flex-col gap-5 overflow-y-auto p-4">
      {model.description !== '' && <FormattedText text={model.description} />}
      <Facts
        facts={[
          [t.context, toTokensText(model.context_length)],
          [t.maxOutput, toTokensText(model.top_provider.max_completion_tokens)],
          [t.input, toTokenPriceText(pricing, 'prompt')],
          [t.output, toTokenPriceText(pricing, 'completion')],
          ...toPriceFacts(pricing),
          [t.takes, architecture.input_modalities.join(', ')],
          [t.gives, architecture.output_modalities.join(', ')],
          ...(model.supported_voices == null ? [] : [[t.voices, model.supported_voices.join(', ')] as const]),
          [t.tokenizer, architecture.tokenizer],
          [t.slug, <code className="font-mono text-xs">{model.canonical_slug}</code>],
          ...(model.knowledge_cutoff == null ? [] : [[t.cutoff, model.knowledge_cutoff] as const]),
          [t.retired, model.expiration_date ?? t.notAnnounced],
        ]}
      />
      <RateLimitList model={model.id} />
      <section>
        <h3 className="mb-1.5 text-sm font-semibold">{t.parameters}</h3>
        <div className="flex flex-wrap gap-1">
          {parameters.length === 0 ? (
            <span className="text-sm text-ink-faint">{t.noParameters}</span>
          ) : (
            parameters.map((name) => <Badge key={name}>{name}</Badge>)
          )}
        </div>
      </section>
    </div>
  );
}

function OtherPath({ kind: { path } }: { kind: CallKind }) {
  const t = modelsMessages().page;
  return <EmptyState title={t.callWith(path)}>{t.chatOnly}</EmptyState>;
}

/** The content of a tab, which scrolls by itself. */
const Scrolling = ({ children }: { children: ReactNode }) => (
  <div className="scroll-thin h-full overflow-y-auto p-4">{children}</div>
);
