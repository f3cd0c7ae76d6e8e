import type { Model } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';

import { modelsQuery } from '../../api/queries.ts';
import { toOtherKind } from '../../app/call-kinds.ts';
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
import { ModelEndpoints, toTokensText } from './model-endpoints.tsx';
import { PlanExplanation } from './plan-explanation.tsx';

const BACK = <BackLink to="/models" label="Models" />;

/** One model: its prices, who serves it, whether it can be used and why not, its other names, and its calls. */
export function ModelPage() {
  const id = toModelId(useParams({ from: '/models/$author/$' }));
  const query = useQuery(modelsQuery);
  const model = query.data?.find((candidate) => candidate.id === id);
  if (model === undefined) {
    return (
      <ResourceState
        back={BACK}
        what="model"
        name={id}
        query={query}
        isMissing={query.data !== undefined}
        why="Its provider may have been removed or disabled."
        filter={{ model: id }}
      />
    );
  }
  const isChat = toOtherKind(model) === null;
  return (
    <ResourcePage
      back={BACK}
      title={model.name}
      note={
        <p className="flex items-center gap-1 font-mono text-xs">
          <span className="break-all">{id}</span>
          <CopyButton isIcon look="quiet" text={id} label="Copy the model’s id" />
        </p>
      }
      actions={
        <>
          {isChat && (
            <LinkButton to="/playground" search={{ models: id }}>
              Playground
            </LinkButton>
          )}
          <LinkButton to="/models" search={{ open: id }}>
            Set-up and code
          </LinkButton>
        </>
      }
      filter={{ model: id }}
      without="model"
      defaultSplit="provider"
    >
      <ResourceColumn>
        <About model={model} />
        {isChat && (
          <ResourceCard title="Can it be used?">
            <div className="-m-4 -mt-6">
              <PlanExplanation model={id} />
            </div>
          </ResourceCard>
        )}
      </ResourceColumn>
      <ResourceCard title="Endpoints">
        <ModelEndpoints id={id} />
      </ResourceCard>
    </ResourcePage>
  );
}

function About({ model }: { model: Model }) {
  const { data: setups } = useQuery(modelSetupsQuery);
  const { architecture, pricing } = model;
  const own = setups?.data.filter(({ id }) => id === model.id) ?? [];
  const aliases = [...new Set(own.flatMap(({ definition }) => definition?.aliases ?? []))];
  const problem = own.find((setup) => setup.problem !== null)?.problem;
  return (
    <ResourceCard title="The model">
      {problem != null && (
        <p role="alert" className="mb-3 rounded-lg border border-caution/50 bg-caution-soft p-3 text-sm break-words">
          {problem}
        </p>
      )}
      <Facts
        facts={[
          ['Input', toTokenPriceText(pricing, 'prompt')],
          ['Output', toTokenPriceText(pricing, 'completion')],
          ...toPriceFacts(pricing),
          ['Context', toTokensText(model.context_length)],
          ['Max completion', toTokensText(model.top_provider.max_completion_tokens)],
          ['Takes', architecture.input_modalities.join(', ')],
          ['Gives', architecture.output_modalities.join(', ')],
          ['Other names', aliases.length === 0 ? 'none' : <Names names={aliases} />],
          ['Set up', toSourceText(own.map(({ source }) => source))],
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
  if (sources.includes('config')) return 'in the configuration file';
  return sources.includes('stored') ? 'here' : 'built in, or listed by its provider';
}
