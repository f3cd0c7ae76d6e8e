import { useQueryClient } from '@tanstack/react-query';

import { showFailure, showUndo } from '../../parts/messages/toast-store.ts';
import { providerMessages } from './messages.ts';
import { updateProvider } from './setup/setup-queries.ts';

interface Toggled {
  readonly slug: string;
  readonly name: string;
  readonly enabled: boolean;
}

/** Enables or disables a provider that was set up here, at once, and offers to undo it. */
export function useToggleProvider(): (provider: Toggled) => Promise<void> {
  const client = useQueryClient();
  return async ({ slug, name, enabled }) => {
    const t = providerMessages().toggle;
    const set = async (to: boolean): Promise<void> => {
      await updateProvider(slug, { enabled: to });
      await client.invalidateQueries();
    };
    try {
      await set(!enabled);
      const [done, undone] = enabled ? [t.disabled, t.enabled] : [t.enabled, t.disabled];
      showUndo({ title: done(name), undo: () => set(enabled), undone: undone(name) });
    } catch (error) {
      showFailure((enabled ? t.notDisabled : t.notEnabled)(name), error);
    }
  };
}
