import { createPlural } from './languages.ts';

const plural = createPlural('en');

/**
 * All texts of the desktop app's own process and of its quick panel. This file decides which messages there are: another
 * language that lacks one of them, or has one more, does not compile.
 */
export const en = {
  state: {
    starting: 'Starting',
    running: (host: string) => `Running on ${host}`,
    runningDemo: (host: string) => `Running on ${host} (demo)`,
    runningReplay: (host: string) => `Running on ${host} (replay only)`,
    runningRecord: (host: string) => `Running on ${host} (recording)`,
    paused: 'Paused',
    portTaken: (port: number) => `Not listening: port ${port} is taken`,
    portClosed: (port: number) => `Not listening: port ${port} cannot be opened`,
    failed: 'Stopped by an error',
    crashed: (code: number) => `The gateway ended with code ${code} and is started again.`,
    demoNotShared:
      'The demo has keys that anybody knows, so it is not shared on the network. Save a provider key first.',
  },
  figures: (active: number, today: number, cost: string) => `${active} active · ${today} today · ${cost}`,
  modes: { live: 'Live', demo: 'Demo', replay: 'Replay only', record: 'Record' },
  obstacles: {
    nothingRecorded: 'nothing is recorded',
    demoAsksNone: 'the demo asks no provider',
    modeNotChanged: (reason: string) => `The mode was not changed: ${reason}.`,
    shortcutTaken: (keys: string) =>
      `${keys} cannot be used: another program has it, or this desktop does not allow it.`,
  },
  tray: {
    toolTip: (state: string) => `Model Gateway: ${state}`,
    open: 'Open',
    quickPanel: 'Quick panel',
    tryPort: (port: number) => `Try port ${port} again`,
    usePort: (port: number) => `Use ${port} this time`,
    changePort: 'Change port…',
    copyBaseUrl: 'Copy base URL',
    copyAs: 'Copy as',
    bash: 'Environment, bash',
    powerShell: 'Environment, PowerShell',
    mode: 'Mode',
    modeWithObstacle: (mode: string, obstacle: string) => `${mode} (${obstacle})`,
    pause: 'Pause accepting requests',
    recentErrors: 'Recent errors',
    noErrors: 'None',
    noResponse: 'no answer',
    startAtLogin: 'Start at login',
    share: 'Share on local network…',
    settings: 'Settings…',
    openLogs: 'Open logs folder',
    resetPosition: 'Reset window position',
    quit: 'Quit',
  },
  start: { failed: 'Model Gateway cannot start' },
  quit: {
    question: (calls: number) =>
      plural(calls, { one: `${calls} call is under way.`, other: `${calls} calls are under way.` }),
    detail: 'Until they have ended no more are accepted. Quitting now cuts them off.',
    whenDone: 'Quit when done',
    now: 'Quit now',
    cancel: 'Cancel',
  },
  withoutTray: {
    question: 'Shall the gateway go on without its window?',
    detail: 'This desktop seems to have no tray that would show it. Starting the app again opens the window.',
    goOn: 'Go on',
    quit: 'Quit',
  },
  port: {
    question: (port: number) => `Other programs cannot reach the gateway at port ${port}`,
    taken: 'Quit that program and try again, or let the gateway use another port.',
    denied: 'Nothing has to be quit: choose another port.',
    other: 'Try again, or choose another port.',
    tryAgain: 'Try again',
    later: 'Later',
  },
  share: {
    question: 'Share the gateway on your local network?',
    detail: (addresses: string, port: number) =>
      `Everyone on the network will be able to reach ${addresses} at port ${port}. They still need a key. ` +
      'What they send crosses the network unencrypted.',
    thisMachine: 'this machine',
    share: 'Share',
    cancel: 'Cancel',
    nothingChanged: 'Nothing was changed.',
  },
  data: {
    settingsFiles: 'Settings',
    exported: (path: string) => `Settings were written to ${path}, without any key.`,
    noSettings: (path: string) => `${path} holds no settings of this app.`,
    backUpInto: 'Back up into this folder',
    backedUp: (path: string) => `The data was copied to ${path}. Provider keys are not in it.`,
    restoreFrom: 'Restore from this folder',
    noBackup: (path: string) => `${path} is no backup: there is no config.json in it.`,
    restored: (path: string, before: string) => `Restored from ${path}. What was there before is in ${before}.`,
    wipeQuestion: 'Delete everything that the gateway has recorded?',
    wipeDetail:
      'Calls, keys, guardrails, destinations, videos, recordings and logs go, and with them the provider keys. ' +
      'Backups in other places stay. This cannot be undone.',
    wipe: 'Delete everything',
    cancel: 'Cancel',
    wiped: 'Everything was deleted.',
    noKeyStorage: 'This machine offers no way to keep a key',
    windowClosed: 'The window is closed.',
    linkRefused: 'This link is not opened from here; copy it instead.',
  },
  notices: {
    budget: 'A budget is reached',
    budgetDetail: 'Calls that do not fit into it are refused until it is renewed or raised.',
    providerDown: (provider: string) => `${provider} does not respond`,
    providerDownDetail: 'All its endpoints fail. Calls go to other providers where they may.',
    providerBack: (provider: string) => `${provider} responds again`,
    videoDone: 'A video is ready',
    videoFailed: 'A video could not be made',
    videoDetail: (model: string) => `Made with ${model}.`,
    videoFailedDetail: (model: string) => `Ordered from ${model}.`,
    update: (version: string) => `Version ${version} is ready`,
    updateDetail: 'It is installed when the app quits.',
  },
  panel: {
    title: 'Quick panel',
    spentToday: 'spent today',
    callsToday: (calls: number) => plural(calls, { one: 'call today', other: 'calls today' }),
    openCalls: 'under way',
    latest: 'Latest calls',
    noCalls: 'No calls yet.',
    statuses: { ok: 'ok', failed: 'failed', cancelled: 'cancelled', interrupted: 'interrupted' },
    unknownCost: 'cost not known',
    mode: 'Mode',
    open: 'Open',
    copy: 'Copy address',
    copied: 'Copied',
    pause: 'Pause',
    goOn: 'Go on',
    notReached: 'The app does not respond.',
  },
};

export type Messages = typeof en;
