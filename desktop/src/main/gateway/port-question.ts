import type { GatewayState } from '../../shared/gateway-messages.ts';
import { texts } from '../texts.ts';

export type NotListening = Extract<GatewayState, { phase: 'not-listening' }>;

/** Choices that are offered when a port cannot be opened. The app never changes the port by itself. */
export type PortChoice =
  | { readonly type: 'retry' }
  | { readonly type: 'use-once'; readonly port: number }
  | { readonly type: 'change' }
  | { readonly type: 'later' };

export interface PortQuestion {
  readonly message: string;
  readonly detail: string;
  readonly choices: readonly { readonly label: string; readonly choice: PortChoice }[];
}

/** Makes the question about a port, for a user without an open window. */
export function toPortQuestion({ port, kind, message, freePort }: NotListening): PortQuestion {
  // Further lines of the message say what to type in a shell.
  const [why = ''] = message.split('\n');
  const { port: words, tray } = texts();
  return {
    message: words.question(port),
    detail: `${why} ${words[kind]}`,
    choices: [
      { label: words.tryAgain, choice: { type: 'retry' } },
      ...(freePort === null
        ? []
        : [{ label: tray.usePort(freePort), choice: { type: 'use-once', port: freePort } } as const]),
      { label: tray.changePort, choice: { type: 'change' } },
      { label: words.later, choice: { type: 'later' } },
    ],
  };
}
