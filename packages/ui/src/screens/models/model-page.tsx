import type { Model } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';

import { modelsQuery } from '../../api/queries.ts';
import { toOtherKind, toPlaygroundOf } from '../../app/call-kinds.ts';
import { ForecastCard } from '../../features/forecast/forecast-card.tsx';
import { toModelId, toPriceFacts, toTokenPriceText } from '../../features/models/model-facts.ts';
import { modelSetupsQuery } from '../../features/models/model-setup-queries.ts';
import {
  BackLink,
  ResourceCard,
  ResourceColumn,
  ResourcePage,
  ResourceState,
} from '../../features/resource-page/resource-page.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { LinkButton } from '../../parts/controls/link-button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Logo, toAuthor } from '../../parts/logo.tsx';
import { GoneModel } from './gone-model.tsx';
import { modelsMessages } from './messages.tsx';
import { ModelCode } from './model-code.tsx';
import { ModelEndpoints, toTokensText } from './model-endpoints.tsx';
import { PlanExplanation } from './plan-explanation.tsx';
import { ModelSetupTab } from './setup/model-setup-tab.tsx';

/** One model: its prices, who serves it, whether it can be used and why not, its other names, and its calls. */
export function ModelPage() {
  const t = modelsMessages().page;
  const back = <BackLink to="/models" label={t.back} />;
  const id = toModelId(useParams({ from: '/models/$author/$' }));
  const query = useQuery(modelsQuery);
  const model = query.data?.find((candidate) => candidate.id === id);
  if (model === undefined) {
    return (
      <ResourceState
        back={back}
        what={t.what}
        name={id}
        query={query}
        isMissing={query.data !== undefined}
        gone={(calls) => <GoneModel id={id}>{calls}</GoneModel>}
        filter={{ model: id }}
        without="model"
        defaultSplit="provider"
      />
    );
  }
  const kind = toOtherKind(model);
  const tried = toPlaygroundOf(model);
  return (
    <ResourcePage
      back={back}
      title={model.name}
      note={
        <p className="flex items-center gap-1.5 font-mono text-xs">
          <Logo name={toAuthor(id)} className="text-ink-soft" />
          <span className="break-all">{id}</span>
          <CopyButton isIcon look="quiet" text={id} label={t.copyId} />
        </p>
      }
      actions={
        tried !== null && (
          <LinkButton to="/playground" search={tried}>
            {t.playground}
          </LinkButton>
        )
      }
      filter={{ model: id }}
      without="model"
      defaultSplit="provider"
    >
      <ResourceColumn>
        <About model={model} />
        <ForecastCard of={`model:${id}`} />
        <ResourceCard title={t.endpoints}>
          <ModelEndpoints id={id} />
        </ResourceCard>
      </ResourceColumn>
      <ResourceColumn>
        {kind === null && (
          <ResourceCard title={t.availability}>
            <PlanExplanation model={id} />
          </ResourceCard>
        )}
        <ResourceCard title={t.setup}>
          <ModelSetupTab id={id} />
        </ResourceCard>
        <ResourceCard title={t.code}>
          <ModelCode id={id} kind={kind} />
        </ResourceCard>
      </ResourceColumn>
    </ResourcePage>
  );
}

function About({ model }: { model: Model }) {
  const t = modelsMessages().page;
  const { data: setups } = useQuery(modelSetupsQuery);
  const { architecture, pricing } = model;
  const own = setups?.data.filter(({ id }) => id === model.id) ?? [];
  const aliases = [...new Set(own.flatMap(({ definition }) => definition?.aliases ?? []))];
  const problem = own.find((setup) => setup.problem !== null)?.problem;
  return (
    <ResourceCard title={t.about}>
      {problem != null && (
        <p role="alert" className="mb-3 rounded-lg border border-caution/50 bg-caution-soft p-3 text-sm break-words">
          {problem}
        </p>
      )}
      <Facts
        facts={[
          [t.input, toTokenPriceText(pricing, 'prompt')],
          [t.output, toTokenPriceText(pricing, 'completion')],
          ...toPriceFacts(pricing),
          [t.context, toTokensText(model.context_length)],
          [t.maxOutput, toTokensText(model.top_provider.max_completion_tokens)],
          [t.takes, architecture.input_modalities.join(', ')],
          [t.gives, architecture.output_modalities.join(', ')],
          ...(model.supported_voices == null ? [] : [[t.voices, model.supported_voices.join(', ')] as const]),
          [t.aliases, aliases.length === 0 ? t.none : <Names names={aliases} />],
          [t.source, toSourceText(own.map(({ source }) => source))],
        ]}
      />
    </ResourceCard>
  );
}

function Names({ names }: { names: readonly string[] }) {
  return (
    <span className="flex flex-wrap gap-x-2">
      {names.map((name) => (
        <code key={name} className="font-mono text-xs break-all">
          {name}
        </code>
      ))}
    </span>
  );
}

function toSourceText(sources: readonly ('config' | 'stored')[]): string {
  const t = modelsMessages().page;
  if (sources.includes('config')) return t.fromFile;
  return sources.includes('stored') ? t.fromUi : t.builtIn;
}
