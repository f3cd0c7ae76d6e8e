import { createMessages, plural } from '../../../messages/locale.ts';

export const workspaceMemberMessages = createMessages(
  {
    title: 'Members',
    what: 'members',
    about:
      'Administrators see and change everything in this workspace. Members see what is theirs and make keys. Viewers make no keys.',
    everyone: 'Every member of the organization belongs to the default workspace, with the role they have there.',
    openMembers: 'Open members',
    none: 'No members yet',
    more: (count: string) => `Show ${count} more`,
    roleOf: (name: string) => `Role of ${name}`,
    remove: (name: string) => `Remove ${name}`,
    through: (count: number) =>
      count === 0 ? 'Through a group' : plural.en(count, { one: 'Through the group', other: 'Through the groups' }),
    alsoByHand: 'Also added by hand',
    byGroup: 'To remove someone who is here through a group, or to lower their role, change the group.',
    openGroups: 'Open groups',
    bySignIn: (groups: readonly string[]) =>
      `Sign-in groups of the configuration decide who is here: ${groups.map((name) => `“${name}”`).join(', ')}. A change made here lasts until the member signs in again.`,
    readOnly: 'Only administrators of the organization can change who is here.',
    add: {
      label: 'Add members',
      none: 'Choose members',
      role: 'Role',
      action: 'Add',
      everyone: 'Every member of the organization is here already.',
      nobody: 'The organization has no members yet.',
    },
    saved: 'Members saved',
    restored: 'Members restored',
  },
  {
    de: {
      title: 'Mitglieder',
      what: 'Mitglieder',
      about:
        'Administratoren sehen und ändern alles in diesem Workspace. Mitglieder sehen Eigenes und erstellen Schlüssel. Betrachter erstellen keine Schlüssel.',
      everyone: 'Zum Standard-Workspace gehören alle Mitglieder der Organisation, mit ihrer Rolle in der Organisation.',
      openMembers: 'Mitglieder öffnen',
      none: 'Noch keine Mitglieder',
      more: (count) => `${count} weitere anzeigen`,
      roleOf: (name) => `Rolle von ${name}`,
      remove: (name) => `${name} entfernen`,
      through: (count) =>
        count === 0 ? 'Durch eine Gruppe' : plural.de(count, { one: 'Durch die Gruppe', other: 'Durch die Gruppen' }),
      alsoByHand: 'Auch von Hand hinzugefügt',
      byGroup:
        'Um jemanden zu entfernen, der durch eine Gruppe hier ist, oder seine Rolle zu senken, die Gruppe ändern.',
      openGroups: 'Gruppen öffnen',
      bySignIn: (groups) =>
        `Gruppen aus der Konfiguration entscheiden bei der Anmeldung, wer hier ist: ${groups.map((name) => `„${name}“`).join(', ')}. Eine Änderung gilt nur bis zur nächsten Anmeldung des Mitglieds.`,
      readOnly: 'Wer hier ist, ändern nur Administratoren der Organisation.',
      add: {
        label: 'Mitglieder hinzufügen',
        none: 'Mitglieder wählen',
        role: 'Rolle',
        action: 'Hinzufügen',
        everyone: 'Alle Mitglieder der Organisation sind schon hier.',
        nobody: 'Die Organisation hat noch keine Mitglieder.',
      },
      saved: 'Mitglieder gespeichert',
      restored: 'Mitglieder wiederhergestellt',
    },
  },
);
