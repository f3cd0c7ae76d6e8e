import { setPreferences, usePreferences } from '../app/preferences.ts';
import { useShortcuts } from '../app/shortcuts.ts';
import { Checkbox } from '../parts/controls/field.tsx';
import { Dialog } from '../parts/dialogs/dialog.tsx';

export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const shortcuts = useShortcuts();
  const { singleKeys } = usePreferences();
  const names = [...new Set(shortcuts.map(({ group }) => group))].toSorted((a, b) => a.localeCompare(b));
  const groups = names.map((name) => ({
    name,
    entries: toEntries(shortcuts.filter(({ group }) => group === name).toReversed()),
  }));
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} width="wide">
      <div className="gap-x-8 sm:columns-2">
        {[...groups, { name: 'In tables', entries: TABLE_KEYS }].map(({ name, entries }) => (
          <section key={name} className="mb-5 break-inside-avoid">
            <h3 className="mb-1 text-sm font-semibold">{name}</h3>
            <dl className="text-sm">
              {entries.map(({ keys, label }) => (
                <div key={label} className="flex items-center justify-between gap-4 border-b border-line py-1">
                  <dt>{label}</dt>
                  <dd className="flex items-center gap-2">
                    {keys.map((one) => (
                      <Keys key={one} keys={one} />
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <Checkbox
        className="mt-5"
        checked={singleKeys}
        onChange={(event) => setPreferences({ singleKeys: event.target.checked })}
        label="Shortcuts without Ctrl or Cmd"
        hint="Switch these off when your way of typing sends letters unasked, as speech input may."
      />
    </Dialog>
  );
}

/** An action with all the keys that start it, in the order they were registered. */
function toEntries(shortcuts: readonly { readonly keys: string; readonly label: string }[]) {
  const byLabel = new Map<string, string[]>();
  for (const { keys, label } of shortcuts) byLabel.set(label, [...(byLabel.get(label) ?? []), keys]);
  return [...byLabel].map(([label, keys]) => ({ label, keys }));
}

const TABLE_KEYS = [
  { keys: ['j'], label: 'Next row' },
  { keys: ['k'], label: 'Row before' },
  { keys: ['Enter'], label: 'Open the row' },
  { keys: ['Home'], label: 'First row' },
  { keys: ['End'], label: 'Last row' },
];

function Keys({ keys }: { keys: string }) {
  const isMac = navigator.platform.startsWith('Mac');
  const shown = keys
    .replace('mod', isMac ? '⌘' : 'Ctrl')
    .replaceAll('+', ' ')
    .split(' ');
  return (
    <span className="flex gap-1">
      {shown.map((key) => (
        <kbd key={key} className="rounded border border-line bg-raised px-1.5 py-0.5 font-mono text-xs">
          {key}
        </kbd>
      ))}
    </span>
  );
}
