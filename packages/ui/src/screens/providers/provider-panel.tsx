import { Link } from '@tanstack/react-router';

import { formatCount } from '../../format/quantity.ts';
import { Badge } from '../../parts/badge.tsx';
import { SidePanel } from '../../parts/dialogs/side-panel.tsx';
import { Facts } from '../../parts/facts.tsx';
import { ProviderHistorySection } from './history/provider-history.tsx';
import type { ProviderRow, ProviderState } from './provider-queries.ts';
import { ProviderTest } from './provider-test.tsx';
import { ProviderSetupSection } from './setup/provider-setup-section.tsx';
import { ProviderStateBadge, SetupStateBadge, type Standing, STANDINGS } from './standings.tsx';

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
      title={
        <h2 className="flex items-center gap-2 truncate font-semibold">
          {name} {state !== undefined && <ProviderStateBadge health={state.health} past={past} />}
          {state === undefined && setup !== undefined && <SetupStateBadge setup={setup} />}
        </h2>
      }
    >
      <div className="scroll-thin flex flex-1 flex-col gap-6 overflow-y-auto p-4">
        {state !== undefined && <StateFacts state={state} />}
        {state !== undefined && <ProviderHistorySection slug={slug} name={name} />}
        {setup?.source === 'config' && isEditable && <ConfiguredNote />}
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
              <StandingTable endpoints={state.health.endpoints} />
            </section>
          </>
        )}
      </div>
    </SidePanel>
  );
}

function StateFacts({ state }: { state: ProviderState }) {
  const { slug, host, has_key: hasKey, byok, discovers_models: discovers, models } = state;
  return (
    <Facts
      facts={[
        ['Slug', <code className="font-mono text-xs">{slug}</code>],
        ['Host', host ?? 'not told'],
        ['Key', toKeyText(hasKey, byok)],
        [
          'Models',
          <Link to="/models" search={{ providers: slug }} className="text-accent underline">
            {formatCount(models)}
          </Link>,
        ],
        ['Its list of models', discovers ? 'is asked for at start and every minute' : 'is not asked for'],
      ]}
    />
  );
}

/** What was set up elsewhere is changed there. */
function ConfiguredNote() {
  return (
    <p className="flex flex-wrap items-center gap-2 text-sm text-ink-soft">
      <Badge>from the configuration file</Badge> It, or the environment, is where this provider is changed.
    </p>
  );
}

function toKeyText(hasKey: boolean | null, byok: boolean): string {
  const own = byok ? '; callers may bring their own' : '';
  if (hasKey === null) return `not told${own}`;
  return `${hasKey ? 'set' : 'none'}${own}`;
}

function StandingTable({ endpoints }: { endpoints: ProviderState['health']['endpoints'] }) {
  const total = Math.max(
    1,
    Object.values(endpoints).reduce((sum, count) => sum + count, 0),
  );
  return (
    <table className="w-full text-sm">
      <caption className="sr-only">Endpoints by how they stand</caption>
      <thead className="sr-only">
        <tr>
          <th scope="col">State</th>
          <th scope="col">Endpoints</th>
          <th scope="col">Share</th>
        </tr>
      </thead>
      <tbody>
        {(Object.keys(STANDINGS) as Standing[]).map((name) => (
          <tr key={name} className="border-b border-line/70 last:border-0">
            <th scope="row" className="py-1.5 pr-3 text-left align-top font-normal">
              {STANDINGS[name].label}
              <span className="block text-xs text-ink-faint">{STANDINGS[name].meaning}</span>
            </th>
            <td className="figures w-12 py-1.5 pr-3 text-right align-top">{formatCount(endpoints[name])}</td>
            <td className="w-1/3 py-1.5 align-top">
              <span aria-hidden="true" className="mt-1.5 block h-2 overflow-hidden rounded-full bg-raised">
                <span
                  className={`block h-full ${STANDINGS[name].bar}`}
                  style={{ width: `${(endpoints[name] / total) * 100}%` }}
                />
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
