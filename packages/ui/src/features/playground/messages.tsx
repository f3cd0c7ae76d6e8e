import type { ReactNode } from 'react';

import { createMessages } from '../../messages/locale.ts';

/** Texts about what the playground sends, and about the key that it sends it with. */
export const promptingMessages = createMessages(
  {
    untitled: 'Untitled',
    brokeOff: 'The response broke off before its end',
    attachments: {
      limits: (each: string, together: string) => `Images, PDF and audio, up to ${each} each and ${together} together`,
      unknownType: (name: string) =>
        `“${name}” cannot be attached: images are PNG, JPEG, WebP or GIF, files PDF, audio WAV, MP3, FLAC, OGG, M4A, AAC or AIFF`,
      tooLarge: (name: string, size: string, limit: string) => `“${name}” is ${size}; the limit is ${limit}`,
      tooLargeTogether: (size: string, limit: string) => `Together these are ${size}; the limit is ${limit}`,
      unsupported: (model: string, kinds: readonly ('image' | 'file' | 'audio')[]) =>
        `${model}: ${kinds.map((kind) => `no ${kind}`).join(', ')}`,
    },
    key: {
      models: 'models',
      why: 'Its usage is tracked and limited by that key. Everyone who is signed in here uses the same one.',
      nothingPriced: 'No model has a known price, so this key gets no limit: with one, every request would be refused.',
      create: (name: string, limit: string | null) =>
        `Create a key named “${name}”${limit === null ? '' : ` with a limit of ${limit}`}`,
      createUnlimited: 'Create without a limit, for all models',
      use: (name: string) => `Use the key “${name}”`,
      unpriced: (model: ReactNode, others: number, setPrices: (label: string) => ReactNode) => (
        <>
          No known price for {model}
          {others > 0 ? ` and ${others} more` : ''}. A key with a limit can’t use {others > 0 ? 'them' : 'it'}, because{' '}
          {others > 0 ? 'their' : 'its'} cost can’t be counted.{' '}
          {setPrices(others > 0 ? 'Set their prices' : 'Set its price')} (0 if free), or use a key without a limit.
        </>
      ),
      other: 'Or use another key',
      choose: 'Choose a key',
      useChosen: 'Use this key',
      own: 'Or enter a key',
      useOwn: 'Use it',
    },
    schema: {
      notObject: 'must be an object, e.g. {"type": "object"}',
      notJson: (reason: string) => `is not JSON: ${reason}`,
      needsName: 'needs a name',
      exists: 'already exists',
      notNumbers: 'must be numbers',
    },
    setup: {
      name: 'must be 1 to 64 letters, digits, _ or -',
      upTo2: 'must be a number from 0 to 2',
      upTo1: 'must be a number from 0 to 1',
      atLeast1: 'must be a whole number, at least 1',
      whole: 'must be a whole number',
      nameTaken: 'is already the name of another tool',
      notObject: 'must be an object, e.g. {"stop": ["END"]}',
      notJson: 'are not JSON',
    },
    diff: {
      tooDifferent: 'Too different to highlight.',
      same: (than: string) => `Same text as ${than}.`,
      differences: (than: string, unit: 'words' | 'lines', onlyHere: ReactNode, onlyThere: ReactNode) => (
        <>
          Differences from {than} by {unit}: {onlyHere}, {onlyThere}.
        </>
      ),
      onlyHere: 'only here',
      onlyThere: 'only there',
    },
  },
  {
    de: {
      untitled: 'Ohne Titel',
      brokeOff: 'Die Antwort brach vor ihrem Ende ab',
      attachments: {
        limits: (each, together) => `Bilder, PDF und Audio, je bis ${each} und zusammen bis ${together}`,
        unknownType: (name) =>
          `„${name}“ kann nicht angehängt werden: Bilder sind PNG, JPEG, WebP oder GIF, Dateien PDF, Audio WAV, MP3, FLAC, OGG, M4A, AAC oder AIFF`,
        tooLarge: (name, size, limit) => `„${name}“ hat ${size}; erlaubt sind ${limit}`,
        tooLargeTogether: (size, limit) => `Zusammen sind das ${size}; erlaubt sind ${limit}`,
        unsupported: (model, kinds) => {
          const words = { image: 'keine Bilder', file: 'keine Dateien', audio: 'kein Audio' };
          return `${model}: ${kinds.map((kind) => words[kind]).join(', ')}`;
        },
      },
      key: {
        models: 'Modelle',
        why: 'Er erfasst und begrenzt, was hier verbraucht wird. Alle, die hier angemeldet sind, teilen ihn.',
        nothingPriced:
          'Für kein Modell ist ein Preis bekannt, deshalb erhält der Schlüssel kein Limit: Damit würde jede Anfrage abgelehnt.',
        create: (name, limit) =>
          `Schlüssel „${name}“ ${limit === null ? '' : `mit einem Limit von ${limit} `}erstellen`,
        createUnlimited: 'Ohne Limit erstellen, für alle Modelle',
        use: (name) => `Schlüssel „${name}“ verwenden`,
        unpriced: (model, others, setPrices) => (
          <>
            Kein Preis bekannt für {model}
            {others > 0 ? ` und ${others} weitere` : ''}. Ein Schlüssel mit Limit kann{' '}
            {others > 0 ? 'sie' : 'das Modell'} nicht nutzen, weil sich die Kosten nicht zählen lassen.{' '}
            {setPrices(others > 0 ? 'Preise festlegen' : 'Preis festlegen')} (0, wenn kostenlos) oder einen Schlüssel
            ohne Limit verwenden.
          </>
        ),
        other: 'Oder einen anderen Schlüssel verwenden',
        choose: 'Schlüssel wählen',
        useChosen: 'Diesen verwenden',
        own: 'Oder einen Schlüssel eingeben',
        useOwn: 'Verwenden',
      },
      schema: {
        notObject: 'muss ein Objekt sein, z. B. {"type": "object"}',
        notJson: (reason) => `ist kein JSON: ${reason}`,
        needsName: 'braucht einen Namen',
        exists: 'ist schon vorhanden',
        notNumbers: 'müssen Zahlen sein',
      },
      setup: {
        name: 'muss aus 1 bis 64 Buchstaben, Ziffern, _ oder - bestehen',
        upTo2: 'muss eine Zahl von 0 bis 2 sein',
        upTo1: 'muss eine Zahl von 0 bis 1 sein',
        atLeast1: 'muss eine ganze Zahl ab 1 sein',
        whole: 'muss eine ganze Zahl sein',
        nameTaken: 'ist schon der Name eines anderen Tools',
        notObject: 'muss ein Objekt sein, z. B. {"stop": ["END"]}',
        notJson: 'ist kein JSON',
      },
      diff: {
        tooDifferent: 'Zu verschieden, um Unterschiede hervorzuheben.',
        same: (than) => `Gleicher Text: ${than}.`,
        differences: (than, unit, onlyHere, onlyThere) => (
          <>
            Unterschiede zu {than} nach {unit === 'words' ? 'Wörtern' : 'Zeilen'}: {onlyHere}, {onlyThere}.
          </>
        ),
        onlyHere: 'nur hier',
        onlyThere: 'nur dort',
      },
    },
  },
);
