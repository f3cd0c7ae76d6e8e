import { type KeyboardEvent, useRef, useState } from 'react';

import { getDesktop } from '../../../app/desktop.ts';
import type { DesktopInfo } from '../../../desktop-bridge.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Field } from '../../../parts/controls/field.tsx';
import { useOutcome } from '../../../parts/messages/toast-store.ts';
import { desktopMessages } from './messages.tsx';

/** The keys that open the quick panel from every program. They are pressed, not typed. */
export function ShortcutField({ info: { settings, platform } }: { info: DesktopInfo }) {
  const { ask, isBusy } = useOutcome();
  const t = desktopMessages().shortcut;
  const [isPressing, setIsPressing] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const { shortcut } = settings;
  const change = (keys: string): void =>
    void ask(getDesktop()?.changeSettings({ shortcut: keys }), keys === '' ? t.turnedOff : t.set(keys));
  const press = (event: KeyboardEvent<HTMLInputElement>): void => {
    // These lead out of the field.
    if (event.key === 'Tab' || event.key === 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    const keys = toAccelerator(event.nativeEvent, platform);
    if (keys !== undefined && keys !== shortcut && !isBusy) change(keys);
  };
  return (
    <Field label={t.label} hint={t.hint} className="max-w-md">
      {(control) => (
        <div className="flex gap-2">
          <input
            {...control}
            ref={input}
            readOnly
            className="field"
            value={shortcut}
            placeholder={isPressing ? t.press : t.off}
            onFocus={() => setIsPressing(true)}
            onBlur={() => setIsPressing(false)}
            onKeyDown={press}
          />
          {shortcut !== '' && (
            <Button
              isBusy={isBusy}
              onClick={() => {
                change('');
                // The button goes away.
                input.current?.focus();
              }}
            >
              {t.turnOff}
            </Button>
          )}
        </div>
      )}
    </Field>
  );
}

/** The parts of a keyboard event that decide which keys were pressed. */
export type PressedKeys = Pick<KeyboardEvent, 'code' | 'ctrlKey' | 'altKey' | 'shiftKey' | 'metaKey'>;

/**
 * Converts a key press to the form in which the app takes a shortcut (`Control+Alt+G`). Undefined for what is none yet:
 * modifiers alone, a key without one, or a key that has another meaning on other keyboards.
 */
export function toAccelerator(pressed: PressedKeys, platform: string): string | undefined {
  // One by one: a rest would be empty, because events have no properties of their own.
  const { code, ctrlKey, altKey, shiftKey, metaKey } = pressed;
  const key = /^(?:Key([A-Z])|Digit(\d)|(F\d{1,2}|Space))$/.exec(code);
  const name = key?.[1] ?? key?.[2] ?? key?.[3];
  if (name === undefined || !(ctrlKey || altKey || metaKey)) return undefined;
  const meta = platform === 'darwin' ? 'Command' : 'Super';
  return [
    ...(ctrlKey ? ['Control'] : []),
    ...(altKey ? ['Alt'] : []),
    ...(metaKey ? [meta] : []),
    ...(shiftKey ? ['Shift'] : []),
    name,
  ].join('+');
}
