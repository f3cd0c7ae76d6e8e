/** An image as it is stored in a PDF. */
interface StoredImage {
  readonly width: number;
  readonly height: number;
  readonly bitsPerComponent: 1 | 8;
  readonly filter: 'DCTDecode' | 'FlateDecode';
  readonly data: Uint8Array;
  /** Whether it is a mask: its zeros are painted black, as scanners of black and white do it. */
  readonly isMask?: boolean;
}

interface ScannedPage {
  readonly image: StoredImage;
  /** Where the image is drawn on a page of 595 by 842 points. Default: over all of it. */
  readonly matrix?: string;
  /** By how many degrees a reader turns the page clockwise. */
  readonly rotate?: 0 | 90 | 180 | 270;
}

/** A PDF of pages that have one grey image each and no text, as scanners make them. */
export function createScannedPdf(pages: readonly ScannedPage[]): Uint8Array {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const write = (piece: string | Uint8Array): void => {
    const bytes = typeof piece === 'string' ? new TextEncoder().encode(piece) : piece;
    pieces.push(bytes);
    length += bytes.length;
  };
  const offsets: number[] = [];
  const writeObject = (dictionary: string, stream?: Uint8Array): void => {
    offsets.push(length);
    write(`${offsets.length} 0 obj\n${dictionary}\n`);
    if (stream !== undefined) {
      write('stream\n');
      write(stream);
      write('\nendstream\n');
    }
    write('endobj\n');
  };
  write('%PDF-1.4\n');
  writeObject('<< /Type /Catalog /Pages 2 0 R >>');
  const kids = pages.map((_, index) => `${3 + index * 3} 0 R`).join(' ');
  writeObject(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`);
  for (const { image, matrix = '595 0 0 842 0 0', rotate = 0 } of pages) {
    const at = offsets.length + 1;
    const { width, height, bitsPerComponent, filter, data, isMask } = image;
    const content = new TextEncoder().encode(`q ${matrix} cm /Im0 Do Q`);
    const resources = `/Resources << /XObject << /Im0 ${at + 2} 0 R >> >>`;
    const colours = isMask === true ? '/ImageMask true' : '/ColorSpace /DeviceGray';
    writeObject(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Rotate ${rotate} ${resources} /Contents ${at + 1} 0 R >>`,
    );
    writeObject(`<< /Length ${content.length} >>`, content);
    writeObject(
      `<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} /BitsPerComponent ${bitsPerComponent} ` +
        `${colours} /Filter /${filter} /Length ${data.length} >>`,
      data,
    );
  }
  const start = length;
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = offsets.length + 1;
  write(`xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\n`);
  write(`startxref\n${start}\n%%EOF`);
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
