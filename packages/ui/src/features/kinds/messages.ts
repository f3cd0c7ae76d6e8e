import { createMessages } from '../../messages/locale.ts';

/** What calls of kinds other than the chat give, as the playground and a generation show it. */
export const kindMessages = createMessages(
  {
    sound: 'Sound',
    download: 'Download',
    notPlayed: 'This browser can’t play this format. Download the file instead.',
    transcript: {
      segments: 'Segments',
      from: (time: string) => `Play from ${time}`,
      copy: 'Copy text',
      empty: 'No speech was found.',
    },
    similarity: {
      title: 'Similarity of the inputs',
      hint: 'Cosine similarity: 1 for the same direction, 0 for nothing in common.',
      input: 'Input',
      dimensions: (count: string) => `${count} dimensions`,
      copy: 'Copy vectors',
      save: 'Save vectors',
      shown: (shown: number, count: number) => `The first ${shown} of ${count} inputs are compared.`,
    },
    ranking: {
      title: 'Documents by relevance',
      score: (score: string) => `relevance ${score}`,
      was: (place: number) => `was ${place}`,
      image: 'Image',
    },
    verdict: {
      flagged: 'flagged',
      clear: 'not flagged',
      input: (place: number) => `Text ${place}`,
      scores: 'Scores by category',
    },
    images: { made: (place: number) => `Image ${place}`, save: 'Save the image' },
  },
  {
    de: {
      sound: 'Ton',
      download: 'Herunterladen',
      notPlayed: 'Dieser Browser kann das Format nicht abspielen. Die Datei lässt sich herunterladen.',
      transcript: {
        segments: 'Abschnitte',
        from: (time) => `Ab ${time} abspielen`,
        copy: 'Text kopieren',
        empty: 'Es wurde keine Sprache gefunden.',
      },
      similarity: {
        title: 'Ähnlichkeit der Eingaben',
        hint: 'Kosinus-Ähnlichkeit: 1 bei gleicher Richtung, 0 ohne Gemeinsamkeit.',
        input: 'Eingabe',
        dimensions: (count) => `${count} Dimensionen`,
        copy: 'Vektoren kopieren',
        save: 'Vektoren speichern',
        shown: (shown, count) => `Verglichen werden die ersten ${shown} von ${count} Eingaben.`,
      },
      ranking: {
        title: 'Dokumente nach Relevanz',
        score: (score) => `Relevanz ${score}`,
        was: (place) => `war ${place}`,
        image: 'Bild',
      },
      verdict: {
        flagged: 'auffällig',
        clear: 'unauffällig',
        input: (place) => `Text ${place}`,
        scores: 'Werte nach Kategorie',
      },
      images: { made: (place) => `Bild ${place}`, save: 'Bild speichern' },
    },
  },
);
