import { createMessages } from '../../messages/locale.ts';

/**
 * What the gateway says of a delivery that failed, in the page's language. It keeps short English sentences, because
 * logs and the API have them too.
 */
const resultMessages = createMessages(
  {
    'timed out': 'timed out',
    failed: 'failed',
    'the name could not be resolved': 'the name could not be resolved',
    'no connection could be made': 'no connection could be made',
    'the TLS handshake failed': 'the TLS handshake failed',
    'the connection broke before a response': 'the connection broke before a response',
    'the response was cut short': 'the response was cut short',
    'the response is larger than allowed': 'the response is larger than allowed',
    'the address may not be called': 'the address may not be called',
    'not set up': 'not set up',
    'nothing to send': 'nothing to send',
    'the saved password cannot be opened; save it again': 'the saved password cannot be opened; save it again',
  },
  {
    de: {
      'timed out': 'Zeit abgelaufen',
      failed: 'fehlgeschlagen',
      'the name could not be resolved': 'Name nicht auflösbar',
      'no connection could be made': 'keine Verbindung möglich',
      'the TLS handshake failed': 'TLS-Handshake fehlgeschlagen',
      'the connection broke before a response': 'Verbindung vor der Antwort abgebrochen',
      'the response was cut short': 'Antwort abgebrochen',
      'the response is larger than allowed': 'Antwort größer als erlaubt',
      'the address may not be called': 'Adresse nicht erlaubt',
      'not set up': 'nicht eingerichtet',
      'nothing to send': 'nichts zu senden',
      'the saved password cannot be opened; save it again':
        'gespeichertes Passwort lässt sich nicht öffnen; bitte neu speichern',
    },
  },
);

/** The result of an attempt to deliver, as people read it. What comes from the receiver stays as it is: `HTTP 503`. */
export function describeResult(result: string): string {
  const known: Readonly<Record<string, string>> = resultMessages();
  return Object.hasOwn(known, result) ? (known[result] ?? result) : result;
}
