import { createMessages } from '../../messages/locale.ts';

/** Whose budgets are raised. */
export type RaisedKind = 'key' | 'member' | 'workspace';

export const raiseMessages = createMessages(
  {
    action: { key: 'Raise limit…', member: 'Raise budgets…', workspace: 'Raise budgets…' },
    titles: {
      key: (name: string) => `Raise the limit of “${name}”`,
      member: (name: string) => `Raise the budgets of ${name}`,
      workspace: (name: string) => `Raise the budgets of “${name}”`,
    },
    notes: {
      key: 'Raises the limit and the budgets of this key until the given time.',
      member: 'Raises the budgets that this member’s guardrail sets until the given time.',
      workspace: 'Raises every budget of this workspace until the given time.',
    },
    amount: 'Amount, USD',
    until: 'Until',
    save: 'Raise',
    active: (add: string, limit: string, until: string) => `Raised by ${add} from ${limit} until ${until}`,
    budgets: (add: string, until: string) => `Budgets raised by ${add} until ${until}`,
    end: 'End now',
    notEnded: 'The raise could not be ended',
    notLoaded: 'Temporary raises could not be loaded',
  },
  {
    de: {
      action: { key: 'Limit erhöhen…', member: 'Budgets erhöhen…', workspace: 'Budgets erhöhen…' },
      titles: {
        key: (name) => `Limit von „${name}“ erhöhen`,
        member: (name) => `Budgets von ${name} erhöhen`,
        workspace: (name) => `Budgets von „${name}“ erhöhen`,
      },
      notes: {
        key: 'Limit und Budgets dieses Schlüssels sind bis dahin um diesen Betrag höher. Danach gelten sie wie zuvor.',
        member:
          'Die Budgets, die die Guardrail dieses Mitglieds setzt, sind bis dahin um diesen Betrag höher. Danach gelten sie wie zuvor.',
        workspace: 'Jedes Budget dieses Workspace ist bis dahin um diesen Betrag höher. Danach gelten sie wie zuvor.',
      },
      amount: 'Betrag, USD',
      until: 'Bis',
      save: 'Erhöhen',
      active: (add, limit, until) => `Um ${add} erhöht, von ${limit}, bis ${until}`,
      budgets: (add, until) => `Budgets um ${add} erhöht bis ${until}`,
      end: 'Jetzt beenden',
      notEnded: 'Die Erhöhung konnte nicht beendet werden',
      notLoaded: 'Vorübergehende Erhöhungen konnten nicht geladen werden',
    },
  },
);
