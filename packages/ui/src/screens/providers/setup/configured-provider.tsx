import type { ProviderSetup } from '@model-gateway/core/wire';

import { Badge } from '../../../parts/badge.tsx';
import { Facts } from '../../../parts/facts.tsx';
import { providersMessages } from '../messages.ts';

interface ConfiguredProviderProps {
  readonly setup: ProviderSetup;
  /** Others can be changed here. */
  readonly isEditable: boolean;
}

/** A provider from the configuration. It can only be changed there. */
export function ConfiguredProvider({ setup, isEditable }: ConfiguredProviderProps) {
  const t = providersMessages().setup;
  const { address, settings, header_names: headers, has_key: hasKey, key_hint: hint } = setup;
  const query = Object.entries(settings?.query ?? {});
  return (
    <section aria-label={t.inFile} className="flex flex-col gap-2">
      {isEditable && (
        <p className="flex flex-wrap items-center gap-2 text-sm text-ink-soft">
          <Badge>{t.fromFile}</Badge> {t.changeThere}
        </p>
      )}
      <Facts
        facts={[
          [t.address, <code className="font-mono text-xs break-all">{address ?? t.unknown}</code>],
          [t.key, hasKey === null ? t.unknown : hasKey ? t.keySet(hint === '…' ? null : hint) : t.none],
          ...(headers.length > 0 ? [[t.headers, headers.join(', ')] as const] : []),
          ...(query.length > 0 ? [[t.query, query.map(([name, value]) => `${name}=${value}`).join('&')] as const] : []),
          ...(settings?.region === undefined ? [] : [[t.region, settings.region] as const]),
          [t.trains, toWord(settings?.dataPolicy?.training)],
          [t.retains, toWord(settings?.dataPolicy?.retainsPrompts)],
        ]}
      />
    </section>
  );
}

function toWord(value: boolean | null | undefined): string {
  const t = providersMessages().setup;
  return value == null ? t.unknown : value ? t.yes : t.no;
}
