import { app, dialog } from 'electron';

import type { GatewayProcess } from './gateway/gateway-process.ts';
import { texts } from './texts.ts';

/** Ends the app, after a question about calls under way. */
export interface Quitter {
  quit(): Promise<void>;
  /** Cancels quitting while it waits for calls to end. */
  stay(): void;
  /** Whether the app is quitting. */
  readonly isQuitting: boolean;
  /** Whether calls under way are cut off. */
  readonly isNow: boolean;
}

export function createQuitter(
  gateway: Pick<GatewayProcess, 'readFigures' | 'figures' | 'onChange' | 'state'>,
  setPaused: (isPaused: boolean) => void,
): Quitter {
  let isWaiting = false;
  /** Whether the user had paused the gateway before it was paused for waiting. */
  let wasPaused = false;
  let isQuitting = false;
  let isNow = false;
  app.on('before-quit', () => (isQuitting = true));
  gateway.onChange(() => {
    if (isWaiting && gateway.figures.openCalls === 0) app.quit();
  });
  return {
    async quit() {
      const { openCalls } = await gateway.readFigures();
      if (openCalls === 0) return app.quit();
      switch (await askWhen(openCalls)) {
        case 'when-done':
          if (!isWaiting) wasPaused = gateway.state.phase === 'paused';
          setPaused(true);
          isWaiting = true;
          // The calls may have ended while the question was shown.
          await gateway.readFigures();
          return;
        case 'now':
          isNow = true;
          return app.quit();
        case 'never':
          // An earlier answer may have it wait for the calls: they no longer end the app.
          if (!isWaiting) return;
          isWaiting = false;
          if (!wasPaused) setPaused(false);
      }
    },
    stay() {
      isWaiting = false;
    },
    get isQuitting() {
      return isQuitting;
    },
    get isNow() {
      return isNow;
    },
  };
}

async function askWhen(openCalls: number): Promise<'when-done' | 'now' | 'never'> {
  const { question, detail, whenDone, now, cancel } = texts().quit;
  const { response } = await dialog.showMessageBox({
    type: 'question',
    message: question(openCalls),
    detail,
    buttons: [whenDone, now, cancel],
    defaultId: 0,
    cancelId: 2,
  });
  return (['when-done', 'now', 'never'] as const)[response] ?? 'never';
}
