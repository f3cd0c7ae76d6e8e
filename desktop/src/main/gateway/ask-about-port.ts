import { dialog } from 'electron';

import type { GatewayState } from '../../shared/gateway-messages.ts';
import { type NotListening, type PortChoice, toPortQuestion } from './port-question.ts';

export interface PortAsker {
  /** Must be called with every state. Asks once when the port cannot be opened, and closes the question when it can. */
  follow(state: GatewayState): void;
}

export interface PortAskerOptions {
  /** While the window is open, it reports the port itself. */
  readonly isWindowOpen: () => boolean;
  readonly onChoice: (choice: PortChoice) => void;
}

/** Creates a function that asks about the port while no window is open to report it, for instance after a login. */
export function createPortAsker({ isWindowOpen, onChoice }: PortAskerOptions): PortAsker {
  let asking: AbortController | undefined;
  /** The last state that was reported, here or in the window. */
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
        // Asks again only after the port was open in between, and not after every sleep.
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
