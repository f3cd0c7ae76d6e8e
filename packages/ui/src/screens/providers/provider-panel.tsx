import type { ProviderRow } from '../../features/providers/provider-queries.ts';
import { ProviderStatusBadge } from '../../features/providers/provider-states.tsx';
import { OpenPage } from '../../features/resource-page/resource-page.tsx';
import { SidePanel } from '../../parts/dialogs/side-panel.tsx';
import { Logo } from '../../parts/logo.tsx';
import { ProviderHistorySection } from './history/provider-history.tsx';
import { providersMessages } from './messages.ts';
import { EndpointStateTable, StateFacts } from './provider-facts.tsx';
import { ProviderTest } from './provider-test.tsx';
import { ConfiguredProvider } from './setup/configured-provider.tsx';
import { ProviderSetupSection } from './setup/provider-setup-section.tsx';
import { ToggleButton } from './setup/toggle-button.tsx';

interface ProviderPanelProps {
  readonly row: ProviderRow;
  /** Whether providers can be set up here. */
  readonly isEditable: boolean;
  readonly onClose: () => void;
}

export function ProviderPanel({ row, isEditable, onClose }: ProviderPanelProps) {
  const t = providersMessages().page;
  const { slug, name, state, setup, shadowed } = row;
  return (
    <SidePanel
      label={t.label(name)}
      onClose={onClose}
      actions={
        <>
          {isEditable && <ToggleButton setup={setup} />}
          <OpenPage to="/providers/$slug" params={{ slug }} />
        </>
      }
      title={
        <h2 className="flex items-center gap-2 truncate font-semibold">
          <Logo name={slug} size={18} className="text-ink-soft" /> <span className="truncate">{name}</span>{' '}
          <ProviderStatusBadge row={row} />
        </h2>
      }
    >
      <div className="scroll-thin flex flex-1 flex-col gap-6 overflow-y-auto p-4">
        {state !== undefined && <ProviderHistorySection slug={slug} name={name} />}
        {state !== undefined && (
          <section className="flex flex-col gap-3">
            <h3 className="text-sm font-semibold">{t.connection}</h3>
            <StateFacts state={state} />
            <ProviderTest key={state.slug} provider={state} />
          </section>
        )}
        {state !== undefined && (
          <section>
            <h3 className="mb-2 text-sm font-semibold">{t.endpoints}</h3>
            <EndpointStateTable endpoints={state.health.endpoints} />
          </section>
        )}
        {setup?.source === 'config' && isEditable && <ConfiguredProvider setup={setup} isEditable />}
        {shadowed !== undefined && <ProviderSetupSection setup={shadowed} onGone={onClose} />}
        {setup?.source === 'stored' && <ProviderSetupSection setup={setup} onGone={onClose} />}
      </div>
    </SidePanel>
  );
}
