import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';

import { ApiError } from '../../api/api-error.ts';
import { joinProviders, type ProviderRow, providerStatesQuery } from '../../features/providers/provider-queries.ts';
import { ProviderStatusBadge } from '../../features/providers/provider-states.tsx';
import { providerSetupsQuery } from '../../features/providers/setup/setup-queries.ts';
import {
  BackLink,
  ResourceCard,
  ResourceColumn,
  ResourcePage,
  ResourceState,
} from '../../features/resource-page/resource-page.tsx';
import { Logo } from '../../parts/logo.tsx';
import { providerHistoriesQuery, providerHistoryQuery } from './history/history-queries.ts';
import { ProviderHistorySection } from './history/provider-history.tsx';
import { providersMessages } from './messages.ts';
import { EndpointStateTable, StateFacts } from './provider-facts.tsx';
import { ProviderKeys } from './provider-keys.tsx';
import { ProviderTest } from './provider-test.tsx';
import { ConfiguredProvider } from './setup/configured-provider.tsx';
import { ProviderSetupSection } from './setup/provider-setup-section.tsx';
import { ToggleButton } from './setup/toggle-button.tsx';

/** One provider: how it did, its connection, how its endpoints stand, its requests, and its settings. */
export function ProviderPage() {
  const t = providersMessages().page;
  const { slug } = useParams({ from: '/providers/$slug' });
  const navigate = useNavigate();
  const query = useQuery(providerStatesQuery);
  const { data: states } = query;
  const { data: setups, error: setupError } = useQuery(providerSetupsQuery);
  const { data: pasts } = useQuery(providerHistoriesQuery);
  // What was set up and is not called is in the second list alone.
  const isKnown = states !== undefined && (setups !== undefined || setupError instanceof ApiError);
  const history = useQuery(providerHistoryQuery(slug, 'day'));
  const row = joinProviders(states ?? [], setups?.data ?? [], pasts).find((candidate) => candidate.slug === slug);
  const back = <BackLink to="/providers" label={t.back} />;
  // Its hours stand first: they come with the page, so that they move nothing below them.
  const isComing = history.data === undefined && history.errorUpdateCount === 0;
  if (row === undefined || (row.state !== undefined && isComing)) {
    return (
      <ResourceState
        back={back}
        what={t.what}
        name={slug}
        query={query}
        isMissing={isKnown && row === undefined}
        why={t.why}
        filter={{ provider: slug }}
        without="provider"
      />
    );
  }
  const { name, state, setup } = row;
  const isEditable = setups?.editable === true;
  return (
    <ResourcePage
      back={back}
      title={name}
      note={
        <span className="flex items-center gap-1.5">
          <Logo name={slug} className="text-ink-soft" />
          <code className="font-mono text-xs break-all">{slug}</code>
        </span>
      }
      badges={<ProviderStatusBadge row={row} />}
      actions={isEditable && <ToggleButton setup={setup} />}
      // A comma separates names there.
      filter={{ provider: name.includes(',') ? slug : name }}
      without="provider"
      below={<SetupCard row={row} isEditable={isEditable} onGone={() => void navigate({ to: '/providers' })} />}
    >
      {state !== undefined && (
        <>
          <ResourceCard title={t.health}>
            <ProviderHistorySection slug={slug} name={name} />
          </ResourceCard>
          <ResourceColumn>
            <ResourceCard title={t.connection}>
              <StateFacts state={state} />
              <div className="mt-4">
                <ProviderTest key={slug} provider={state} />
              </div>
            </ResourceCard>
            {state.keys.length > 0 && (
              <ResourceCard title={providersMessages().keys.title}>
                <ProviderKeys provider={state} />
              </ResourceCard>
            )}
            <ResourceCard title={t.endpoints}>
              <EndpointStateTable endpoints={state.health.endpoints} />
            </ResourceCard>
          </ResourceColumn>
        </>
      )}
    </ResourcePage>
  );
}

interface SetupCardProps {
  readonly row: ProviderRow;
  readonly isEditable: boolean;
  readonly onGone: () => void;
}

/** The settings from the configuration, and what was set up here. */
function SetupCard({ row: { setup, shadowed }, isEditable, onGone }: SetupCardProps) {
  const stored = setup?.source === 'stored' ? setup : shadowed;
  const configured = setup?.source === 'config' ? setup : undefined;
  // A provider that the program around the gateway has made has no settings to show.
  const isTold = configured !== undefined && (configured.address !== null || configured.settings !== null);
  if (stored === undefined && !isTold) return null;
  return (
    <ResourceCard title={providersMessages().page.settings}>
      <div className="flex max-w-2xl flex-col gap-4">
        {configured !== undefined && <ConfiguredProvider setup={configured} isEditable={isEditable} />}
        {stored !== undefined && <ProviderSetupSection setup={stored} isTitled onGone={onGone} />}
      </div>
    </ResourceCard>
  );
}
