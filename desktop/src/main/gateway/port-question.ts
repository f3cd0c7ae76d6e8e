import type { GatewayState } from '../../shared/gateway-messages.ts';

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

const ADVICE: Readonly<Record<NotListening['kind'], string>> = {
  taken: 'Quit that program and try again, or let the gateway use another port.',
  denied: 'Nothing has to be quit: choose another port.',
  other: 'Try again, or choose another port.',
};

/** Makes the question about a port, for a user without an open window. */
export function toPortQuestion({ port, kind, message, freePort }: NotListening): PortQuestion {
  // Further lines of the message say what to type in a shell.
  const [why = ''] = message.split('\n');
  return {
    message: `Other programs cannot reach the gateway at port ${port}`,
    detail: `${why} ${ADVICE[kind]}`,
    choices: [
      { label: 'Try again', choice: { type: 'retry' } },
      ...(freePort === null
        ? []
        : [{ label: `Use ${freePort} this time`, choice: { type: 'use-once', port: freePort } } as const]),
      { label: 'Change port…', choice: { type: 'change' } },
      { label: 'Later', choice: { type: 'later' } },
    ],
  };
}
