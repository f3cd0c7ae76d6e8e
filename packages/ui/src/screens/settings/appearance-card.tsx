import { setPreferences, usePreferences } from '../../app/preferences.ts';
import { Checkbox, Choice } from '../../parts/controls/field.tsx';

/** How this browser shows things. Kept in this browser. */
export function AppearanceCard() {
  const { theme, density, singleKeys } = usePreferences();
  return (
    <section className="card flex flex-col gap-4 p-4">
      <h2 className="text-base font-semibold">Appearance</h2>
      <div className="flex flex-wrap gap-x-8 gap-y-4">
        <div>
          <p className="mb-1 text-sm font-medium">Theme</p>
          <Choice
            label="Theme"
            value={theme}
            onChange={(next) => setPreferences({ theme: next })}
            options={{ system: 'System', light: 'Light', dark: 'Dark' }}
          />
        </div>
        <div>
          <p className="mb-1 text-sm font-medium">Rows of tables</p>
          <Choice
            label="Rows of tables"
            value={density}
            onChange={(next) => setPreferences({ density: next })}
            options={{ comfortable: 'Comfortable', compact: 'Compact' }}
          />
        </div>
      </div>
      <Checkbox
        checked={singleKeys}
        onChange={(event) => setPreferences({ singleKeys: event.target.checked })}
        label="Shortcuts without Ctrl or Cmd"
        hint="Press ? for a list of them."
      />
    </section>
  );
}
