import type { ProviderSetup } from '@model-gateway/core/wire';

import { Badge } from '../../../parts/badge.tsx';
import { Facts } from '../../../parts/facts.tsx';

interface ConfiguredProviderProps {
  readonly setup: ProviderSetup;
  /** Others can be changed here. */
  readonly isEditable: boolean;
}

/** A provider from the configuration. It can only be changed there. */
export function ConfiguredProvider({ setup, isEditable }: ConfiguredProviderProps) {
  const { address, settings, header_names: headers, has_key: hasKey, key_hint: hint } = setup;
  const query = Object.entries(settings?.query ?? {});
  return (
    <section aria-label="In the configuration" className="flex flex-col gap-2">
      {isEditable && (
        <p className="flex flex-wrap items-center gap-2 text-sm text-ink-soft">
          <Badge>from the configuration file</Badge> Change this provider there, or in the environment.
        </p>
      )}
      <Facts
        facts={[
          ['Address', <code className="font-mono text-xs break-all">{address ?? 'unknown'}</code>],
          [
            'Key',
            hasKey === null ? 'unknown' : hasKey ? `set${hint === null || hint === '…' ? '' : `, ${hint}`}` : 'none',
          ],
          ...(headers.length > 0 ? [['Headers', headers.join(', ')] as const] : []),
          ...(query.length > 0 ? [['Query', query.map(([name, value]) => `${name}=${value}`).join('&')] as const] : []),
          ...(settings?.region === undefined ? [] : [['Region', settings.region] as const]),
          ['Trains on prompts', toWord(settings?.dataPolicy?.training)],
          ['Retains prompts', toWord(settings?.dataPolicy?.retainsPrompts)],
        ]}
      />
    </section>
  );
}

const toWord = (value: boolean | null | undefined): string => (value == null ? 'unknown' : value ? 'yes' : 'no');
