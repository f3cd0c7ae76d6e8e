import { formatCount } from '../../../format/quantity.ts';
import { createMessages, plural } from '../../../messages/locale.ts';

/** The comparison of the catalog with lists of models. */
export const updateMessages = createMessages(
  {
    check: 'Check for updates',
    title: 'Updates of prices and limits',
    what: 'the lists of the providers',
    failure: 'The catalog could not be compared',
    intro: 'What the providers’ lists state otherwise. Nothing changes until you apply it.',
    none: 'Everything is up to date',
    noneNote: 'The lists that could be read state nothing else.',
    found: (count: number, provider: string) =>
      plural.en(count, {
        one: `1 fact changed at ${provider}`,
        other: `${formatCount(count)} facts changed at ${provider}`,
      }),
    foundPrices: (count: number, provider: string) =>
      plural.en(count, {
        one: `1 price changed at ${provider}`,
        other: `${formatCount(count)} prices changed at ${provider}`,
      }),
    review: 'Review',
    dismiss: 'Dismiss notice',
    allProviders: 'All providers',
    all: 'All changes',
    choose: (fact: string, model: string) => `${fact} of ${model}`,
    model: 'Model',
    provider: 'Provider',
    fact: 'Fact',
    now: 'Now',
    listed: 'Listed',
    notes: 'To check yourself',
    unread: (provider: string, problem: string) => `${provider}: its list could not be read. ${problem}`,
    apply: (count: number) => plural.en(count, { one: 'Apply 1 change', other: `Apply ${formatCount(count)} changes` }),
    applied: (count: number) =>
      plural.en(count, { one: '1 change was applied', other: `${formatCount(count)} changes were applied` }),
    takenBack: 'The changes were taken back',
    notApplied: 'The changes could not be applied',
    blocked: 'In the config file',
  },
  {
    de: {
      check: 'Auf Neues prüfen',
      title: 'Neue Preise und Grenzen',
      what: 'die Listen der Anbieter',
      failure: 'Der Katalog konnte nicht verglichen werden',
      intro: 'Was die Listen der Anbieter anders angeben. Nichts ändert sich, bevor es übernommen wird.',
      none: 'Alles ist auf dem neuesten Stand',
      noneNote: 'Die lesbaren Listen geben nichts anderes an.',
      found: (count, provider) =>
        plural.de(count, {
          one: `1 Angabe hat sich bei ${provider} geändert`,
          other: `${formatCount(count)} Angaben haben sich bei ${provider} geändert`,
        }),
      foundPrices: (count, provider) =>
        plural.de(count, {
          one: `1 Preis hat sich bei ${provider} geändert`,
          other: `${formatCount(count)} Preise haben sich bei ${provider} geändert`,
        }),
      review: 'Ansehen',
      dismiss: 'Hinweis ausblenden',
      allProviders: 'Alle Anbieter',
      all: 'Alle Änderungen',
      choose: (fact, model) => `${fact} von ${model}`,
      model: 'Modell',
      provider: 'Anbieter',
      fact: 'Angabe',
      now: 'Jetzt',
      listed: 'In der Liste',
      notes: 'Selbst zu prüfen',
      unread: (provider, problem) => `${provider}: Die Liste konnte nicht gelesen werden. ${problem}`,
      apply: (count) =>
        plural.de(count, { one: '1 Änderung übernehmen', other: `${formatCount(count)} Änderungen übernehmen` }),
      applied: (count) =>
        plural.de(count, {
          one: '1 Änderung wurde übernommen',
          other: `${formatCount(count)} Änderungen wurden übernommen`,
        }),
      takenBack: 'Die Änderungen wurden zurückgenommen',
      notApplied: 'Die Änderungen konnten nicht übernommen werden',
      blocked: 'In der Konfigurationsdatei',
    },
  },
);
