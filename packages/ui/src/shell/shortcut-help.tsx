import { setPreferences, usePreferences } from '../app/preferences.ts';
import { useShortcuts } from '../app/shortcuts.ts';
import { Checkbox } from '../parts/controls/field.tsx';
import { Dialog } from '../parts/dialogs/dialog.tsx';
import { shellMessages } from './messages.ts';
import { Keys } from './top-bar.tsx';

/** All shortcuts that do something now. */
export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const t = shellMessages().help;
  const shortcuts = useShortcuts();
  const { singleKeys } = usePreferences();
  const names = [...new Set(shortcuts.map(({ group }) => group))].toSorted((a, b) => a.localeCompare(b));
  const groups = names.map((name) => ({
    name,
    entries: toEntries(shortcuts.filter(({ group }) => group === name).toReversed()),
  }));
  const tableKeys = [
    { keys: ['j'], label: t.tables.next },
    { keys: ['k'], label: t.tables.previous },
    { keys: ['Enter'], label: t.tables.open },
    { keys: ['Home'], label: t.tables.first },
    { keys: ['End'], label: t.tables.last },
  ];
  return (
    <Dialog title={t.title} onClose={onClose} width="wide">
      <div className="gap-x-8 sm:columns-2">
        {[...groups, { name: t.inTables, entries: tableKeys }].map(({ name, entries }) => (
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
        label={t.singleKeys}
        hint={t.singleKeysHint}
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
