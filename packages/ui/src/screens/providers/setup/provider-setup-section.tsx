import type { ProviderSetup } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';

import { presetsQuery } from '../../../features/providers/setup/setup-queries.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { providersMessages } from '../messages.ts';
import { DeleteProvider } from './delete-provider.tsx';
import { EditProvider } from './edit-provider.tsx';

interface ProviderSetupSectionProps {
  readonly setup: ProviderSetup;
  /** Whether it stands under a head that says what it is. */
  readonly isTitled?: boolean;
  /** Called when it has been deleted. */
  readonly onGone: () => void;
}

/** What was set up here of a provider: its problem with the cure, and all that can be changed. */
export function ProviderSetupSection({ setup, isTitled = false, onGone }: ProviderSetupSectionProps) {
  const t = providersMessages().setup;
  const { data: presets } = useQuery(presetsQuery);
  const [isDeleting, setIsDeleting] = useState(false);
  const { problem, status, settings } = setup;
  const cure = status === 'ready' || status === 'off' ? null : t.cures[status];
  return (
    <section aria-label={isTitled ? undefined : t.title} className="flex flex-col gap-3">
      {!isTitled && <h3 className="text-sm font-semibold">{t.title}</h3>}
      {cure !== null && (
        <p role="alert" className="rounded-lg border border-caution/50 bg-caution-soft p-3 text-sm break-words">
          {problem !== null && <>{problem}. </>}
          <span className="font-medium">{cure}</span>
        </p>
      )}
      {presets !== undefined && settings !== null && (
        <EditProvider setup={setup} preset={presets.find(({ id }) => id === settings.preset) ?? null} />
      )}
      <Button look="danger" className="self-start" icon={<Trash2 size={14} />} onClick={() => setIsDeleting(true)}>
        {t.delete}
      </Button>
      {isDeleting && <DeleteProvider setup={setup} onClose={() => setIsDeleting(false)} onGone={onGone} />}
    </section>
  );
}
