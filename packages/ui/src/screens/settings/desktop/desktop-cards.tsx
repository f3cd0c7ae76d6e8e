import { toBaseUrl } from '../../../app/base-url.ts';
import { getDesktop, useDesktopInfo } from '../../../app/desktop.ts';
import type { DesktopInfo } from '../../../desktop-bridge.ts';
import { PortForm } from '../../../features/port-banner.tsx';
import { LANGUAGE_NAMES } from '../../../messages/languages.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { CopyButton } from '../../../parts/controls/copy-button.tsx';
import { Checkbox, Choice } from '../../../parts/controls/field.tsx';
import { Facts } from '../../../parts/facts.tsx';
import { type Ask, useOutcome } from '../../../parts/messages/toast-store.ts';
import { ProviderKeysCard } from './provider-keys-card.tsx';
import { ShortcutField } from './shortcut-field.tsx';

/** Settings of the desktop app around this page. Empty in a browser. */
export function DesktopCards() {
  const info = useDesktopInfo();
  if (info === null) return null;
  return (
    <>
      <ReachCard info={info} />
      <ProviderKeysCard info={info} />
      <StartCard info={info} />
      <NoticesCard info={info} />
      <DataCard info={info} />
    </>
  );
}

function ReachCard({ info }: { info: DesktopInfo }) {
  const { ask, isBusy } = useOutcome();
  const { settings, networkUrls, state } = info;
  const isDemo = state.isDemo === true && settings.mode !== 'replay';
  return (
    <section className="card flex flex-col gap-4 p-4">
      <h2 className="text-base font-semibold">Where programs call</h2>
      <div className="flex flex-wrap items-center gap-2 text-sm">
        <code className="font-mono text-xs break-all">{toBaseUrl()}</code>
        <CopyButton isIcon look="quiet" label="Copy the address" text={toBaseUrl} />
        {state.phase !== 'listening' && <span className="text-caution">not at the moment</span>}
      </div>
      <div>
        <p className="mb-1 text-sm font-medium">Port</p>
        <PortForm key={settings.port} port={settings.port} />
        <p className="mt-1 text-xs text-ink-faint">
          From 1024 to 65535. Programs that were given the old one have to be told.
        </p>
      </div>
      <div>
        <p className="mb-1 text-sm font-medium">Mode</p>
        <Choice
          label="Mode"
          value={settings.mode}
          options={isDemo ? DEMO_MODES : MODES}
          onChange={(mode) => void ask(getDesktop()?.changeSettings({ mode }))}
        />
        <p className="mt-1 text-xs text-ink-faint">
          {isDemo
            ? 'The demo’s recordings answer until a provider key is saved; then calls go to its provider.'
            : 'Replay only asks no provider; Record writes down what they answer.'}{' '}
          The gateway starts anew with another mode.
        </p>
      </div>
      <Checkbox
        label="Share on the local network"
        hint="The app asks first. Others still need a key, and what they send crosses the network unencrypted."
        checked={settings.shareOnNetwork}
        disabled={isBusy}
        onChange={(event) => void ask(getDesktop()?.changeSettings({ shareOnNetwork: event.target.checked }))}
      />
      {settings.shareOnNetwork && (
        <ul aria-label="Addresses on the network" className="flex flex-col gap-1">
          {networkUrls.map((url) => (
            <li key={url} className="flex items-center gap-2">
              <code className="font-mono text-xs break-all">{url}</code>
              <CopyButton isIcon look="quiet" label={`Copy ${url}`} text={url} />
            </li>
          ))}
          {networkUrls.length === 0 && (
            <li className="text-sm text-ink-faint">This machine is not on a network at the moment.</li>
          )}
        </ul>
      )}
    </section>
  );
}

const MODES = { live: 'Live', replay: 'Replay only', record: 'Record' } as const;
/** Without a provider, what is set to go live is the demo. */
const DEMO_MODES = { ...MODES, live: 'Demo' } as const;

const SWITCHES = [
  ['startAtLogin', 'Start at login', 'Off until you switch it on.'],
  ['startHidden', 'Start without a window', 'The tray has the way in; so has starting the app a second time.'],
  ['closeToTray', 'Go on in the tray when the window closes', 'Off, closing the window quits the gateway.'],
  [
    'lookForUpdates',
    'Look for updates',
    'When off, the app makes no request. What it finds is checked by its signature.',
  ],
  ['demo', 'Show the demo while no provider is set up', 'Recorded answers: no network, no key, no cost.'],
] as const;

/** Languages are named in themselves. */
const LANGUAGES = { system: 'As the system', ...LANGUAGE_NAMES } as const;

function StartCard({ info }: { info: DesktopInfo }) {
  const { settings } = info;
  const { ask, isBusy } = useOutcome();
  return (
    <section className="card flex flex-col gap-3 p-4">
      <h2 className="text-base font-semibold">The app</h2>
      {SWITCHES.map(([name, label, hint]) => (
        <Checkbox
          key={name}
          label={label}
          hint={hint}
          checked={settings[name]}
          disabled={isBusy}
          onChange={(event) => void ask(getDesktop()?.changeSettings({ [name]: event.target.checked }))}
        />
      ))}
      <div>
        <p className="mb-1 text-sm font-medium">Language</p>
        <Choice
          label="Language"
          value={settings.language}
          options={LANGUAGES}
          onChange={(language) => void ask(getDesktop()?.changeSettings({ language }))}
        />
        <p className="mt-1 text-xs text-ink-faint">
          Of the tray, dialogs, notifications and the quick panel. The screens are in English.
        </p>
      </div>
      <ShortcutField info={info} />
    </section>
  );
}

function DataCard({ info }: { info: DesktopInfo }) {
  const { ask, isBusy } = useOutcome();
  return (
    <section className="card flex flex-col gap-4 p-4">
      <h2 className="text-base font-semibold">Data</h2>
      <Facts
        facts={[
          ['Version', info.version],
          ['Folder', <code className="font-mono text-xs break-all">{info.dataDir}</code>],
        ]}
      />
      <p className="text-sm text-ink-soft">
        A backup has everything that was recorded. An export has the settings of the app alone. Neither has provider
        keys.
      </p>
      <Actions ask={ask} isBusy={isBusy} />
    </section>
  );
}

function Actions({ ask, isBusy }: { ask: Ask; isBusy: boolean }) {
  return (
    <div className="flex flex-wrap gap-2">
      <Button isBusy={isBusy} onClick={() => void ask(getDesktop()?.backUp(), 'Backed up')}>
        Back up…
      </Button>
      <Button disabled={isBusy} onClick={() => void ask(getDesktop()?.restore(), 'Restored')}>
        Restore…
      </Button>
      <Button disabled={isBusy} onClick={() => void ask(getDesktop()?.exportSettings(), 'Exported')}>
        Export settings…
      </Button>
      <Button disabled={isBusy} onClick={() => void ask(getDesktop()?.importSettings(), 'Imported')}>
        Import settings…
      </Button>
      <Button disabled={isBusy} onClick={() => void ask(getDesktop()?.openLogs())}>
        Open the logs
      </Button>
      <Button look="danger" disabled={isBusy} onClick={() => void ask(getDesktop()?.wipe(), 'Deleted')}>
        Delete everything…
      </Button>
    </div>
  );
}

const NOTICES = [
  ['notifyBudget', 'A budget is reached', 'A call was refused because it did not fit.'],
  ['notifyProviders', 'A provider does not respond, and when it does again', 'Only of providers that were called.'],
  ['notifyVideos', 'A video is ready, or could not be made', ''],
  ['notifyUpdates', 'An update is ready', 'Only while the app looks for updates.'],
] as const;

/** What the desktop app notifies of. */
function NoticesCard({ info: { settings } }: { info: DesktopInfo }) {
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
