import { getDesktop } from '../../../app/desktop.ts';
import type { DesktopInfo } from '../../../desktop-bridge.ts';
import { Checkbox } from '../../../parts/controls/field.tsx';
import { useOutcome } from '../../../parts/messages/toast-store.ts';

const NOTICES = [
  ['notifyBudget', 'A budget is reached', 'A call was refused because it did not fit.'],
  ['notifyProviders', 'A provider does not respond, and when it does again', 'Only of providers that were called.'],
  ['notifyVideos', 'A video is ready, or could not be made', ''],
  ['notifyUpdates', 'An update is ready', 'Only while the app looks for updates.'],
] as const;

/** What the desktop app notifies of. */
export function NoticesCard({ info: { settings } }: { info: DesktopInfo }) {
  const { ask, isBusy } = useOutcome();
  return (
    <section className="card flex flex-col gap-3 p-4">
      <div>
        <h2 className="text-base font-semibold">Notifications</h2>
        <p className="text-sm text-ink-faint">
          They never show a prompt or a completion. Of one thing there is at most one in ten minutes; a click leads to
          it.
        </p>
      </div>
      {NOTICES.map(([name, label, hint]) => (
        <Checkbox
          key={name}
          label={label}
          hint={hint === '' ? undefined : hint}
          checked={settings[name]}
          disabled={isBusy}
          onChange={(event) => void ask(getDesktop()?.changeSettings({ [name]: event.target.checked }))}
        />
      ))}
    </section>
  );
}
