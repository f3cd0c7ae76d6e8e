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
    runningReplay: (host: string) => `Running on ${host} (replay)`,
    runningRecord: (host: string) => `Running on ${host} (recording)`,
    paused: 'Paused',
    portTaken: (port: number) => `Not listening: port ${port} is taken`,
    portClosed: (port: number) => `Not listening: port ${port} can’t be opened`,
    failed: 'Stopped by an error',
    crashed: (code: number) => `The gateway exited with code ${code} and is restarting.`,
    demoNotShared: 'The demo’s keys are public, so it can’t be shared on the network. Add a provider first.',
  },
  figures: (active: number, today: number, cost: string) => `${active} active · ${today} today · ${cost}`,
  modes: { live: 'Live', demo: 'Demo', replay: 'Replay', record: 'Record all' },
  obstacles: {
    nothingRecorded: 'nothing is recorded',
    demoAsksNone: 'the demo doesn’t call providers',
    modeNotChanged: (reason: string) => `Mode not changed: ${reason}.`,
    shortcutTaken: (keys: string) =>
      `${keys} isn’t available: another program uses it, or this desktop doesn’t allow it.`,
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
    noResponse: 'no response',
    startAtLogin: 'Start at login',
    share: 'Share on local network…',
    settings: 'Settings…',
    openLogs: 'Open logs folder',
    resetPosition: 'Reset window position',
    quit: 'Quit',
  },
  start: { failed: 'Model Gateway can’t start' },
  quit: {
    question: (calls: number) =>
      plural(calls, { one: `${calls} request is still running.`, other: `${calls} requests are still running.` }),
    detail: 'New requests are refused until they finish. Quitting now interrupts them.',
    whenDone: 'Quit when done',
    now: 'Quit now',
    cancel: 'Cancel',
  },
  withoutTray: {
    question: 'Keep the gateway running without its window?',
    detail: 'This desktop doesn’t seem to have a tray. Start the app again to open the window.',
    goOn: 'Keep running',
    quit: 'Quit',
  },
  port: {
    question: (port: number) => `Other programs can’t reach the gateway at port ${port}`,
    taken: 'Quit that program and try again, or let the gateway use another port.',
    denied: 'Nothing needs to be closed. Choose another port.',
    other: 'Try again, or choose another port.',
    tryAgain: 'Try again',
    later: 'Later',
  },
  share: {
    question: 'Share the gateway on your local network?',
    detail: (addresses: string, port: number) =>
      `Everyone on the network will be able to reach ${addresses} at port ${port}. They still need a key. ` +
      'Traffic on the network is not encrypted.',
    thisMachine: 'this machine',
    share: 'Share',
    cancel: 'Cancel',
    nothingChanged: 'Nothing was changed.',
  },
  data: {
    settingsFiles: 'Settings',
    exported: (path: string) => `Settings saved to ${path}, without keys.`,
    noSettings: (path: string) => `${path} contains no settings for this app.`,
    backUpInto: 'Back up into this folder',
    backedUp: (path: string) => `The data was copied to ${path}. Provider keys are not in it.`,
    restoreFrom: 'Restore from this folder',
    noBackup: (path: string) => `${path} is not a backup: it has no config.json.`,
    restored: (path: string, before: string) => `Restored from ${path}. The previous data is in ${before}.`,
    wipeQuestion: 'Delete all of the gateway’s data?',
    wipeDetail:
      'This deletes requests, keys, guardrails, destinations, videos, recordings, logs, provider keys, what the ' +
      'playground keeps and the display preferences of this window. Backups elsewhere are kept. This can’t be undone.',
    wipe: 'Delete everything',
    cancel: 'Cancel',
    wiped: 'Everything was deleted.',
    noKeyStorage: 'This machine has no way to store a key safely',
    windowClosed: 'The window is closed.',
    linkRefused: 'This link can’t be opened from here. Copy it instead.',
  },
  notices: {
    alarm: (name: string) => `Alarm: ${name}`,
    alarmDetail: 'It has reached its threshold.',
    budget: 'Budget reached',
    budgetDetail: 'Requests over budget are refused until it resets or is raised.',
    providerDown: (provider: string) => `${provider} isn’t responding`,
    providerDownDetail: 'All its endpoints fail. Requests use other providers where allowed.',
    providerBack: (provider: string) => `${provider} is responding again`,
    videoDone: 'A video is ready',
    videoFailed: 'A video failed',
    videoDetail: (model: string) => `Created with ${model}.`,
    videoFailedDetail: (model: string) => `Requested from ${model}.`,
    update: (version: string) => `Version ${version} is ready`,
    updateDetail: 'It will be installed when you quit the app.',
  },
  panel: {
    title: 'Quick panel',
    spentToday: 'spent today',
    callsToday: (calls: number) => plural(calls, { one: 'request today', other: 'requests today' }),
    openCalls: 'running',
    latest: 'Latest requests',
    noCalls: 'No requests yet.',
    statuses: { ok: 'ok', failed: 'failed', cancelled: 'cancelled', interrupted: 'interrupted' },
    unknownCost: 'cost unknown',
    mode: 'Mode',
    open: 'Open',
    copy: 'Copy address',
    copied: 'Copied',
    pause: 'Pause',
    goOn: 'Resume',
    notReached: 'The app isn’t responding.',
  },
};

export type Messages = typeof en;
