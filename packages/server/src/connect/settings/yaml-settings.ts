import { type Document, isSeq, parseDocument } from 'yaml';

import { SettingsFileError, type SettingsFormat } from './settings-format.ts';

/** YAML. Comments stay; long lines are not folded. */
export const yamlSettings: SettingsFormat = {
  parse: (text) => {
    const document = read(text);
    return document.contents === null ? {} : (document.toJS() as unknown);
  },
  set: (text, path, value) => change(text, (document) => document.setIn(path, document.createNode(value))),
  append: (text, path, value) =>
    change(text, (document) => {
      const node = document.createNode(value);
      if (isSeq(document.getIn(path))) document.addIn(path, node);
      else document.setIn(path, document.createNode([value]));
    }),
  remove: (text, path) => change(text, (document) => void document.deleteIn(path)),
};

function read(text: string): Document.Parsed {
  const document = parseDocument(text);
  const [first] = document.errors;
  if (first === undefined) return document;
  const [place] = first.linePos ?? [];
  const where = place === undefined ? 'it' : `line ${place.line}, column ${place.col}`;
  throw new SettingsFileError(`${where} is no YAML (${first.code})`);
}

function change(text: string, apply: (document: Document.Parsed) => void): string {
  const document = read(text);
  apply(document);
  const changed = document.toString({ lineWidth: 0 });
  return text.includes('\r\n') ? changed.replaceAll(/\r?\n/g, '\r\n') : changed;
}
