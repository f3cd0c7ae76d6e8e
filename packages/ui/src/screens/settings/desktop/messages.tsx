import type { ReactNode } from 'react';

import { createMessages } from '../../../messages/locale.ts';

/** Settings of the desktop app. */
export const desktopMessages = createMessages(
  {
    reach: {
      title: 'Address for clients',
      copyAddress: 'Copy the address',
      notNow: 'not available right now',
      port: 'Port',
      portHint: '1024 to 65535. Update clients that use the old port.',
      mode: 'Mode',
      modes: { live: 'Live', replay: 'Replay', record: 'Record all' },
      demo: 'Demo',
      modeHint: 'Replay never calls providers. Record all saves their responses. Switching restarts the gateway.',
      demoHint:
        'The demo responds until you add a provider; then requests go to the provider. Switching restarts the gateway.',
      share: 'Share on the local network',
      shareHint: 'The app asks first. Others still need a key. Traffic is not encrypted.',
      addresses: 'Addresses on the network',
      noNetwork: 'This machine is not connected to a network.',
      copyUrl: (url: string) => `Copy ${url}`,
    },
    app: {
      title: 'The app',
      startAtLogin: { label: 'Start at login', hint: 'Off by default.' },
      startHidden: { label: 'Start without a window', hint: 'Open it from the tray, or start the app again.' },
      closeToTray: { label: 'Keep running in the tray', hint: 'If off, closing the window quits the gateway.' },
      lookForUpdates: {
        label: 'Look for updates',
        hint: 'If off, the app never checks for updates. Updates are verified by signature.',
      },
      demo: {
        label: 'Show the demo while no provider is set up',
        hint: 'Recorded responses: no network, no key, no cost.',
      },
      language: 'Language',
      languageHint: 'For the screens, the tray, dialogs and notifications.',
      system: 'System',
    },
    shortcut: {
      label: 'Shortcut of the quick panel',
      hint: 'Press Ctrl, Alt or the system key with a letter, digit, Space or F key. It works in every program.',
      press: 'Press the keys…',
      off: 'Off',
      turnOff: 'Turn off',
      turnedOff: 'Turned off',
      set: (keys: string) => `${keys} opens the panel`,
    },
    data: {
      title: 'Data',
      version: 'Version',
      folder: 'Folder',
      note: 'A backup contains all recorded data, an export only the app’s settings. Neither contains provider keys.',
      backUp: 'Back up…',
      backedUp: 'Backed up',
      restore: 'Restore…',
      restored: 'Restored',
      exportSettings: 'Export settings…',
      exported: 'Exported',
      importSettings: 'Import settings…',
      imported: 'Imported',
      openLogs: 'Open the logs',
      wipe: 'Delete everything…',
      wiped: 'Deleted',
    },
    notices: {
      title: 'Notifications',
      note: 'They never show prompts or responses. At most one per topic in ten minutes; click to open.',
      notifyAlarms: { label: 'Alarm fired', hint: 'Set up under Settings, Alarms.' },
      notifyBudget: { label: 'Budget reached', hint: 'A request was refused because it exceeded a budget.' },
      notifyProviders: { label: 'Provider down or recovered', hint: 'Only for providers in use.' },
      notifyVideos: { label: 'Video ready or failed', hint: undefined },
      notifyUpdates: { label: 'Update ready', hint: 'Only while the app looks for updates.' },
    },
    keys: {
      title: 'Keys by variable name',
      note: (providers: (text: string) => ReactNode) => (
        <>
          Add provider keys under {providers('Providers')}. Use this for providers in config.json that read their key
          from an environment variable.
        </>
      ),
      restarts: 'Keys are never shown again. Each change restarts the gateway after open requests have finished.',
      encrypted: 'Encrypted with this machine’s keyring.',
      plain:
        'This machine has no usable keyring, so saved keys aren’t encrypted: anyone who can read your files can read them. Install and unlock one (GNOME Keyring, KWallet), or use environment variables instead.',
      noStorage:
        'This machine has no way to store keys safely, so none can be saved here. Use environment variables instead.',
      none: 'None yet.',
      list: 'Saved provider keys',
      askRemove: (name: string) => `Remove ${name}?`,
      remove: 'Remove key',
      removeNote: 'Its provider is no longer called. The key stays valid until you revoke it at the provider.',
      unavailable: 'The app is not available',
      name: 'Name',
      namePattern: 'Capital letters, digits and underscores, as in OPENAI_API_KEY',
      key: 'Key',
      save: 'Save key',
      saved: (name: string) => `${name} saved`,
      isAddress:
        'This is an address, not a key, and would have no effect here. Add your own server (Ollama, LM Studio, llama.cpp, vLLM) under Providers instead.',
    },
  },
  {
    de: {
      reach: {
        title: 'Adresse für Clients',
        copyAddress: 'Adresse kopieren',
        notNow: 'gerade nicht verfügbar',
        port: 'Port',
        portHint: '1024 bis 65535. Clients mit dem alten Port anpassen.',
        mode: 'Modus',
        modes: { live: 'Live', replay: 'Wiedergabe', record: 'Alles aufzeichnen' },
        demo: 'Demo',
        modeHint:
          'Wiedergabe ruft keinen Anbieter auf. „Alles aufzeichnen“ speichert die Antworten. Ein Wechsel startet das Gateway neu.',
        demoHint:
          'Die Demo antwortet, bis ein Anbieter hinzugefügt ist; danach gehen Anfragen an ihn. Ein Wechsel startet das Gateway neu.',
        share: 'Im lokalen Netzwerk freigeben',
        shareHint:
          'Die App fragt vorher. Andere brauchen trotzdem einen Schlüssel. Die Übertragung ist unverschlüsselt.',
        addresses: 'Adressen im Netzwerk',
        noNetwork: 'Dieser Rechner ist mit keinem Netzwerk verbunden.',
        copyUrl: (url) => `${url} kopieren`,
      },
      app: {
        title: 'Die App',
        startAtLogin: { label: 'Beim Anmelden starten', hint: 'Standardmäßig aus.' },
        startHidden: {
          label: 'Ohne Fenster starten',
          hint: 'Über den Infobereich öffnen oder die App erneut starten.',
        },
        closeToTray: {
          label: 'Im Infobereich weiter ausführen',
          hint: 'Wenn aus, beendet das Schließen des Fensters das Gateway.',
        },
        lookForUpdates: {
          label: 'Nach Updates suchen',
          hint: 'Wenn aus, sucht die App nicht nach Updates. Updates werden anhand ihrer Signatur geprüft.',
        },
        demo: {
          label: 'Demo zeigen, solange kein Anbieter eingerichtet ist',
          hint: 'Aufgezeichnete Antworten: kein Netzwerk, kein Schlüssel, keine Kosten.',
        },
        language: 'Sprache',
        languageHint: 'Für die Seiten, das Menü im Infobereich, Dialoge und Benachrichtigungen.',
        system: 'System',
      },
      shortcut: {
        label: 'Tastenkürzel der Kurzübersicht',
        hint: 'Strg, Alt oder die Systemtaste mit Buchstabe, Ziffer, Leertaste oder F-Taste drücken. Gilt in jedem Programm.',
        press: 'Tasten drücken…',
        off: 'Aus',
        turnOff: 'Ausschalten',
        turnedOff: 'Ausgeschaltet',
        set: (keys) => `${keys} öffnet die Kurzübersicht`,
      },
      data: {
        title: 'Daten',
        version: 'Version',
        folder: 'Ordner',
        note: 'Eine Sicherung enthält alle Daten, ein Export nur die Einstellungen der App. Schlüssel von Anbietern sind in keinem von beiden.',
        backUp: 'Sichern…',
        backedUp: 'Gesichert',
        restore: 'Wiederherstellen…',
        restored: 'Wiederhergestellt',
        exportSettings: 'Einstellungen exportieren…',
        exported: 'Exportiert',
        importSettings: 'Einstellungen importieren…',
        imported: 'Importiert',
        openLogs: 'Protokolle öffnen',
        wipe: 'Alles löschen…',
        wiped: 'Gelöscht',
      },
      notices: {
        title: 'Benachrichtigungen',
        note: 'Sie zeigen nie Prompts oder Antworten. Höchstens eine je Thema in zehn Minuten; ein Klick öffnet die Seite.',
        notifyAlarms: { label: 'Alarm ausgelöst', hint: 'Eingerichtet unter Einstellungen, Alarme.' },
        notifyBudget: {
          label: 'Budget erreicht',
          hint: 'Eine Anfrage wurde abgelehnt, weil sie ein Budget überschreitet.',
        },
        notifyProviders: {
          label: 'Anbieter ausgefallen oder wieder erreichbar',
          hint: 'Nur für Anbieter, die benutzt werden.',
        },
        notifyVideos: { label: 'Video fertig oder fehlgeschlagen', hint: undefined },
        notifyUpdates: { label: 'Update bereit', hint: 'Nur, solange die App nach Updates sucht.' },
      },
      keys: {
        title: 'Schlüssel nach Variablennamen',
        note: (providers) => (
          <>
            Schlüssel von Anbietern unter {providers('Anbieter')} hinzufügen. Dies ist für Anbieter in config.json, die
            ihren Schlüssel aus einer Umgebungsvariable lesen.
          </>
        ),
        restarts:
          'Schlüssel werden nie wieder angezeigt. Jede Änderung startet das Gateway neu, sobald offene Anfragen beendet sind.',
        encrypted: 'Mit dem Schlüsselbund dieses Rechners verschlüsselt.',
        plain:
          'Dieser Rechner hat keinen nutzbaren Schlüsselbund, deshalb sind gespeicherte Schlüssel nicht verschlüsselt: Wer die Dateien lesen kann, kann auch sie lesen. Einen Schlüsselbund installieren und entsperren (GNOME Keyring, KWallet) oder Umgebungsvariablen verwenden.',
        noStorage:
          'Dieser Rechner bietet keinen sicheren Ort für Schlüssel, deshalb lassen sich hier keine speichern. Stattdessen Umgebungsvariablen verwenden.',
        none: 'Noch keine.',
        list: 'Gespeicherte Schlüssel von Anbietern',
        askRemove: (name) => `${name} entfernen?`,
        remove: 'Schlüssel entfernen',
        removeNote:
          'Der Anbieter wird nicht mehr aufgerufen. Der Schlüssel bleibt gültig, bis er beim Anbieter widerrufen wird.',
        unavailable: 'Die App ist nicht erreichbar',
        name: 'Name',
        namePattern: 'Großbuchstaben, Ziffern und Unterstriche, wie in OPENAI_API_KEY',
        key: 'Schlüssel',
        save: 'Schlüssel speichern',
        saved: (name) => `${name} gespeichert`,
        isAddress:
          'Das ist eine Adresse, kein Schlüssel, und hätte hier keine Wirkung. Einen eigenen Server (Ollama, LM Studio, llama.cpp, vLLM) stattdessen unter Anbieter hinzufügen.',
      },
    },
  },
);
