import { dialog } from 'electron';

import type { GatewayState } from '../../shared/gateway-messages.ts';
import { type NotListening, type PortChoice, toPortQuestion } from './port-question.ts';

export interface PortAsker {
  /** Call with every state. Asks once when the port cannot be had, and takes the question back when it can. */
  follow(state: GatewayState): void;
}

export interface PortAskerOptions {
  /** The window says it all by itself. */
  readonly isWindowOpen: () => boolean;
  readonly onChoice: (choice: PortChoice) => void;
}

/** Creates a function that asks about the port while no window is open to report it, as after a login. */
export function createPortAsker({ isWindowOpen, onChoice }: PortAskerOptions): PortAsker {
  let asking: AbortController | undefined;
  /** The state that has been told, here or in the window. */
  let told: GatewayState | undefined;
  let isPutOff = false;

  const ask = (state: NotListening): void => {
    asking = new AbortController();
    const { signal } = asking;
    const { message, detail, choices } = toPortQuestion(state);
    const buttons = choices.map(({ label }) => label);
    const cancelId = buttons.length - 1;
    void dialog
      .showMessageBox({ type: 'warning', message, detail, buttons, cancelId, defaultId: 0, signal })
      .then(({ response }) => {
        if (signal.aborted) return;
        const choice = choices[response]?.choice ?? { type: 'later' };
        // Not asked again, say after every sleep, until the port has been had once.
        isPutOff = choice.type === 'later';
        onChoice(choice);
      });
  };
  return {
    follow(state) {
      if (state === told) return;
      told = state;
      asking?.abort();
      if (state.phase !== 'not-listening') isPutOff = false;
      else if (!isPutOff && !isWindowOpen()) ask(state);
    },
  };
}
