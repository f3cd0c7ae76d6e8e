import type { ProviderRow } from '../../features/providers/provider-queries.ts';
import { ProviderStateBadge } from '../../features/providers/provider-states.tsx';
import { OpenPage } from '../../features/resource-page/resource-page.tsx';
import { SidePanel } from '../../parts/dialogs/side-panel.tsx';
import { ProviderHistorySection } from './history/provider-history.tsx';
import { EndpointStateTable, StateFacts } from './provider-facts.tsx';
import { ProviderTest } from './provider-test.tsx';
import { ConfiguredProvider } from './setup/configured-provider.tsx';
import { ProviderSetupSection } from './setup/provider-setup-section.tsx';

interface ProviderPanelProps {
  readonly row: ProviderRow;
  /** Whether providers can be set up here. */
  readonly isEditable: boolean;
  readonly onClose: () => void;
}

export function ProviderPanel({ row, isEditable, onClose }: ProviderPanelProps) {
  const { slug, name, state, setup, shadowed, past } = row;
  return (
    <SidePanel
      label={`Provider ${name}`}
      onClose={onClose}
      actions={<OpenPage to="/providers/$slug" params={{ slug: row.slug }} />}
      title={
        <h2 className="flex items-center gap-2 truncate font-semibold">
          {name} <ProviderStateBadge health={state?.health} setup={setup} past={past} />
        </h2>
      }
    >
      <div className="scroll-thin flex flex-1 flex-col gap-6 overflow-y-auto p-4">
        {state !== undefined && <StateFacts state={state} />}
        {state !== undefined && <ProviderHistorySection slug={slug} name={name} />}
        {setup?.source === 'config' && isEditable && <ConfiguredProvider setup={setup} isEditable />}
        {shadowed !== undefined && <ProviderSetupSection setup={shadowed} onGone={onClose} />}
        {setup?.source === 'stored' && <ProviderSetupSection setup={setup} onGone={onClose} />}
        {state !== undefined && (
          <>
            <section className="flex flex-col gap-3">
              <h3 className="text-sm font-semibold">Connection</h3>
              <ProviderTest key={state.slug} provider={state} />
            </section>
            <section>
              <h3 className="mb-2 text-sm font-semibold">Endpoints</h3>
              <EndpointStateTable endpoints={state.health.endpoints} />
            </section>
          </>
        )}
      </div>
    </SidePanel>
  );
}
