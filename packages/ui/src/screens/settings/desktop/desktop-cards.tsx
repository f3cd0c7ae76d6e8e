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
      <h2 className="text-base font-semibold">Address for clients</h2>
      <div className="flex flex-wrap items-center gap-2 text-sm">
        <code className="font-mono text-xs break-all">{toBaseUrl()}</code>
        <CopyButton isIcon look="quiet" label="Copy the address" text={toBaseUrl} />
        {state.phase !== 'listening' && <span className="text-caution">not at the moment</span>}
      </div>
      <div>
        <p className="mb-1 text-sm font-medium">Port</p>
        <PortForm key={settings.port} port={settings.port} />
        <p className="mt-1 text-xs text-ink-faint">1024 to 65535. Update clients that use the old port.</p>
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
            ? 'The demo’s recordings respond until you save a provider key; then calls go to the provider.'
            : 'Replay never calls providers. Record saves their responses.'}{' '}
          Switching restarts the gateway.
        </p>
      </div>
      <Checkbox
        label="Share on the local network"
        hint="The app asks first. Others still need a key. Traffic is not encrypted."
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
  ['startHidden', 'Start without a window', 'Open it from the tray, or start the app again.'],
  ['closeToTray', 'Keep running in the tray', 'If off, closing the window quits the gateway.'],
  ['lookForUpdates', 'Look for updates', 'When off, the app makes no request. Updates are verified by signature.'],
  ['demo', 'Show the demo while no provider is set up', 'Recorded responses: no network, no key, no cost.'],
] as const;

/** Languages are named in themselves. */
const LANGUAGES = { system: 'System', ...LANGUAGE_NAMES } as const;

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
          For the tray, dialogs, notifications and the quick panel. Screens are in English.
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
        A backup contains all recorded data, an export only the app’s settings. Neither contains provider keys.
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
  ['notifyBudget', 'Budget reached', 'A call was refused because it exceeded a budget.'],
  ['notifyProviders', 'Provider down or recovered', 'Only for providers that were called.'],
  ['notifyVideos', 'Video ready or failed', ''],
  ['notifyUpdates', 'Update ready', 'Only while the app looks for updates.'],
] as const;

/** What the desktop app notifies of. */
function NoticesCard({ info: { settings } }: { info: DesktopInfo }) {
  const { ask, isBusy } = useOutcome();
  return (
    <section className="card flex flex-col gap-3 p-4">
      <div>
        <h2 className="text-base font-semibold">Notifications</h2>
        <p className="text-sm text-ink-faint">
          They never show prompts or completions. At most one per topic in ten minutes; click to open.
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
