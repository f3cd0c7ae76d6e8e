import { useQuery } from '@tanstack/react-query';

import { instanceQuery, rateLimitsQuery, settingsQuery } from '../../api/queries.ts';
import { type Session, getSession } from '../../api/session.ts';
import { toBaseUrl } from '../../app/base-url.ts';
import { useDesktopInfo } from '../../app/desktop.ts';
import { toStateText, useGatewayState } from '../../app/gateway-state.ts';
import { setPreferences, usePreferences } from '../../app/preferences.ts';
import { RateLimitList } from '../../features/limits/rate-limits.tsx';
import { formatRelative, localZoneName } from '../../format/time.ts';
import { LANGUAGE_NAMES } from '../../messages/languages.ts';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { Checkbox, Choice } from '../../parts/controls/field.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/messages/loaded.tsx';
import { ScreenHeader } from '../../parts/messages/states.tsx';
import { AccountForm } from './account-form.tsx';
import { CallbackCard } from './callback-card.tsx';
import { DesktopCards } from './desktop/desktop-cards.tsx';
import { InstanceCard } from './instance-card.tsx';

export function SettingsScreen() {
  const settings = useQuery(settingsQuery);
  return (
    <div className="mx-auto flex w-full max-w-[45rem] flex-col gap-4 p-4 md:p-6">
      <ScreenHeader title="Settings" />
      <AppearanceCard />
      <DesktopCards />
      <Loaded what="settings" failure="The settings could not be loaded" query={settings} data={settings.data} isFlush>
        {(loaded) => <AccountForm settings={loaded} />}
      </Loaded>
      <RateLimitsCard />
      <CallbackCard />
      <InstanceCard />
      <StorageCard />
      <AboutCard />
    </div>
  );
}

function RateLimitsCard() {
  const { data: rules = [] } = useQuery(rateLimitsQuery);
  if (rules.length === 0) return null;
  return (
    <div className="card p-4">
      <RateLimitList />
    </div>
  );
}

function StorageCard() {
  return (
    <section className="card flex flex-col gap-2 p-4 text-sm">
      <h2 className="text-base font-semibold">Data storage</h2>
      <p className="text-ink-soft">
        Set in the config file; restart to apply: <Option name="logging.inputOutput" /> whether prompts and responses
        are stored, <Option name="logging.retentionDays" /> and <Option name="logging.maxGenerations" /> for how long,{' '}
        <Option name="logging.maxContentMb" /> up to which size. You can delete individual prompts and responses under
        Generations.
      </p>
    </section>
  );
}

const Option = ({ name }: { name: string }) => <code className="rounded bg-raised px-1 font-mono text-xs">{name}</code>;

function AboutCard() {
  const state = useGatewayState();
  const { data: instance } = useQuery(instanceQuery);
  const session = getSession();
  const report = (): string =>
    [
      'Model Gateway, web UI',
      `version: ${instance?.version ?? 'unknown'}`,
      `state: ${toStateText(state)}`,
      `store: ${instance?.store?.type ?? 'unknown'}`,
      `browser: ${navigator.userAgent}`,
      `window: ${innerWidth} x ${innerHeight}`,
    ].join('\n');
  return (
    <section className="card flex flex-col gap-3 p-4">
      <h2 className="text-base font-semibold">About</h2>
      <Facts
        facts={[
          ['API', <code className="font-mono text-xs break-all">{toBaseUrl()}</code>],
          ['Signed in as', toSessionText(session)],
        ]}
      />
      <CopyButton
        text={report}
        label="Copy a report without secrets"
        className="max-w-full self-start whitespace-normal!"
      />
    </section>
  );
}

function toSessionText(session: Session): string {
  switch (session.type) {
    case 'none':
      return 'nobody';
    case 'host':
      return session.name;
    case 'cookie':
      return `${session.name}, ends ${formatRelative(session.expiresAt)}`;
  }
}

/** Display settings, kept in this browser. */
function AppearanceCard() {
  const { theme, density, language, zone, singleKeys } = usePreferences();
  const isDesktop = useDesktopInfo() !== null;
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
          <p className="mb-1 text-sm font-medium">Table rows</p>
          <Choice
            label="Table rows"
            value={density}
            onChange={(next) => setPreferences({ density: next })}
            options={{ comfortable: 'Comfortable', compact: 'Compact' }}
          />
        </div>
        {/* The desktop app has its own setting, which its menus follow, too. */}
        {!isDesktop && (
          <div>
            <p className="mb-1 text-sm font-medium">Language</p>
            <Choice
              label="Language"
              value={language}
              onChange={(next) => setPreferences({ language: next })}
              options={{ system: 'System', ...LANGUAGE_NAMES }}
            />
          </div>
        )}
        <div>
          <p className="mb-1 text-sm font-medium">Time zone</p>
          <Choice
            label="Time zone"
            value={zone}
            onChange={(next) => setPreferences({ zone: next })}
            options={{ local: localZoneName(), utc: 'UTC' }}
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
