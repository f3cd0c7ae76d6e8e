import type { ProviderSetup } from '@model-gateway/core/wire';
import { Power } from 'lucide-react';
import { useState } from 'react';

import { providerMessages } from '../../../features/providers/messages.ts';
import { useToggleProvider } from '../../../features/providers/use-toggle-provider.ts';
import { Button } from '../../../parts/controls/button.tsx';

/** Enables or disables a provider at once; nothing for those that cannot be changed here. */
export function ToggleButton({ setup }: { setup: ProviderSetup | undefined }) {
  const t = providerMessages().toggle;
  const toggle = useToggleProvider();
  const [isBusy, setIsBusy] = useState(false);
  if (setup === undefined || setup.source !== 'stored' || setup.status === 'shadowed') return null;
  const run = async (): Promise<void> => {
    setIsBusy(true);
    await toggle(setup);
    setIsBusy(false);
  };
  return (
    <Button icon={<Power size={14} />} isBusy={isBusy} onClick={() => void run()}>
      {setup.enabled ? t.disable : t.enable}
    </Button>
  );
}
