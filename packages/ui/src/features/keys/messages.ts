import { createMessages } from '../../messages/locale.ts';

export const keyPartMessages = createMessages(
  {
    disabled: 'disabled',
    expired: 'expired',
    active: 'active',
    management: 'management',
    api: 'API',
    fromConfig: 'from the configuration',
    configMeaning: 'Set in the configuration file, the environment or the demo. Change it there.',
    spentOf: (spent: string, limit: string) => `${spent} of ${limit}`,
  },
  {
    de: {
      disabled: 'deaktiviert',
      expired: 'abgelaufen',
      active: 'aktiv',
      management: 'Verwaltung',
      api: 'API',
      fromConfig: 'aus der Konfiguration',
      configMeaning: 'In der Konfigurationsdatei, der Umgebung oder der Demo festgelegt. Änderungen nur dort.',
      spentOf: (spent, limit) => `${spent} von ${limit}`,
    },
  },
);
