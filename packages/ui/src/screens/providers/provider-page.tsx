import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';

import { ApiError } from '../../api/api-error.ts';
import { joinProviders, type ProviderRow, providerStatesQuery } from '../../features/providers/provider-queries.ts';
import { ProviderStateBadge } from '../../features/providers/provider-states.tsx';
import { providerSetupsQuery } from '../../features/providers/setup/setup-queries.ts';
import {
  BackLink,
  ResourceCard,
  ResourceColumn,
  ResourcePage,
  ResourceState,
} from '../../features/resource-page/resource-page.tsx';
import { providerHistoriesQuery } from './history/history-queries.ts';
import { EndpointStateTable, StateFacts } from './provider-facts.tsx';
import { ProviderTest } from './provider-test.tsx';
import { ConfiguredProvider } from './setup/configured-provider.tsx';
import { ProviderSetupSection } from './setup/provider-setup-section.tsx';

const BACK = <BackLink to="/providers" label="Providers" />;

/** One provider: how it is reached, how its endpoints stand, how it is set up, and its calls. */
export function ProviderPage() {
  const { slug } = useParams({ from: '/providers/$slug' });
  const navigate = useNavigate();
  const query = useQuery(providerStatesQuery);
  const { data: states } = query;
  const { data: setups, error: setupError } = useQuery(providerSetupsQuery);
  const { data: pasts } = useQuery(providerHistoriesQuery);
  // What was set up and is not called is in the second list alone.
  const isKnown = states !== undefined && (setups !== undefined || setupError instanceof ApiError);
  const row = joinProviders(states ?? [], setups?.data ?? [], pasts).find((candidate) => candidate.slug === slug);
  if (row === undefined) {
    return (
      <ResourceState
        back={BACK}
        what="provider"
        name={slug}
        query={query}
        isMissing={isKnown}
        why="It may have been deleted or removed from the configuration."
        filter={{ provider: slug }}
      />
    );
  }
  const { name, state, setup, past } = row;
  return (
    <ResourcePage
      back={BACK}
      title={name}
      note={<code className="font-mono text-xs break-all">{slug}</code>}
      badges={<ProviderStateBadge health={state?.health} setup={setup} past={past} />}
      // A comma separates names there.
      filter={{ provider: name.includes(',') ? slug : name }}
      without="provider"
    >
      <ResourceColumn>
        {state !== undefined && (
          <ResourceCard title="Connection">
            <StateFacts state={state} />
            <div className="mt-4">
              <ProviderTest key={slug} provider={state} />
            </div>
          </ResourceCard>
        )}
        <SetupCard
          row={row}
          isEditable={setups?.editable === true}
          onGone={() => void navigate({ to: '/providers' })}
        />
      </ResourceColumn>
      {state !== undefined && (
        <ResourceCard title="Endpoints">
          <EndpointStateTable endpoints={state.health.endpoints} />
        </ResourceCard>
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
    <ResourceCard title="Settings">
      <div className="flex flex-col gap-4">
        {configured !== undefined && <ConfiguredProvider setup={configured} isEditable={isEditable} />}
        {stored !== undefined && <ProviderSetupSection setup={stored} onGone={onGone} />}
      </div>
    </ResourceCard>
  );
}
