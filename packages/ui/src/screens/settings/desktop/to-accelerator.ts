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
