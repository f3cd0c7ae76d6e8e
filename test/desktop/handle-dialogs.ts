import type { HiddenApp } from './desktop-app.ts';

/** Clicks the button with this label in the system's next message boxes, as no user is there to do it. */
export const handleDialogs = ({ app }: Pick<HiddenApp, 'app'>, label: string): Promise<void> =>
  app.evaluate(({ dialog }, wanted) => {
    const asked: string[] = [];
    Object.assign(globalThis, { asked });
    // Its first argument may be the window that it belongs to.
    dialog.showMessageBox = (...given: unknown[]) => {
      const options = given.at(-1) as Electron.MessageBoxOptions;
      asked.push(`${options.message} [${options.buttons?.join(' | ')}]`);
      return Promise.resolve({ response: options.buttons?.indexOf(wanted) ?? -1, checkboxChecked: false });
    };
  }, label);

/** Message boxes since then, with their buttons. */
export const askedOf = ({ app }: Pick<HiddenApp, 'app'>): Promise<string[]> =>
  app.evaluate(() => (globalThis as unknown as { asked: string[] }).asked);
