import { createMessages } from '../../messages/locale.ts';

export const guardrailPartMessages = createMessages(
  {
    models: 'models',
    providers: 'providers',
    allModels: 'All models',
    noModels: 'None',
    unknownModel: 'not a model of this gateway',
    onlyOne: 'A key or member can have one guardrail.',
    replaces: (guardrail: string, subject: string) => `Replaces “${guardrail}” for ${subject}.`,
  },
  {
    de: {
      models: 'Modelle',
      providers: 'Anbieter',
      allModels: 'Alle Modelle',
      noModels: 'Keine',
      unknownModel: 'kein Modell dieses Gateways',
      onlyOne: 'Ein Schlüssel oder Mitglied kann nur eine Guardrail haben.',
      replaces: (guardrail, subject) => `Ersetzt „${guardrail}“ für ${subject}.`,
    },
  },
);
