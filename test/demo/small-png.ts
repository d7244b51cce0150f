import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = 8;
const MOST_COLOURS = 256;
/** Taken as they are: backgrounds and texts. */
const FIRST_COLOURS = 24;
/** Squared distance in RGB from which two colours differ to the eye. */
const TELLABLE = 150;

/** A browser's screenshot (8-bit RGB, not interlaced) with 256 colours at most: a third of its size. Throws for any other PNG. */
export function smallPng(png: Buffer): Buffer {
  const { header, data } = chunksOf(png);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  if (header[8] !== 8 || header[9] !== 2 || header[12] !== 0) throw new Error('not an RGB screenshot');
  const pixels = unfiltered(inflateSync(data), width * 3, height);
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels.length; at += 3) {
    const colour = pixels.readUIntBE(at, 3);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const palette = paletteOf([...counts].toSorted((a, b) => b[1] - a[1]).map(([colour]) => colour));
  const places = new Map(Array.from(counts.keys(), (colour) => [colour, nearest(palette, colour).place]));
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) rows[y * (width + 1) + 1 + x] = places.get(pixels.readUIntBE((y * width + x) * 3, 3)) ?? 0;
  const shape = Buffer.from(header);
  shape[9] = 3;
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([png.subarray(0, SIGNATURE), chunk('IHDR', shape), chunk('PLTE', colours), chunk('IDAT', deflateSync(rows, { level: 9 })), chunk('IEND', Buffer.alloc(0))]);
}

function chunksOf(png: Buffer): { readonly header: Buffer; readonly data: Buffer } {
  const found: { readonly type: string; readonly body: Buffer }[] = [];
  for (let at = SIGNATURE; at < png.length; ) {
    const length = png.readUInt32BE(at);
    found.push({ type: png.toString('latin1', at + 4, at + 8), body: png.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  const bodies = (type: string): readonly Buffer[] => found.filter((one) => one.type === type).map(({ body }) => body);
  return { header: Buffer.concat(bodies('IHDR')), data: Buffer.concat(bodies('IDAT')) };
}

/** PNG specification, section 9: the bytes before their rows were filtered. */
function unfiltered(raw: Buffer, stride: number, height: number): Buffer {
  const pixels = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x += 1) {
      const at = y * stride + x;
      const left = x < 3 ? 0 : (pixels[at - 3] ?? 0);
      const up = y === 0 ? 0 : (pixels[at - stride] ?? 0);
      const corner = x < 3 || y === 0 ? 0 : (pixels[at - stride - 3] ?? 0);
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
      pixels[at] = (raw[at + y + 1] ?? 0) + guess;
    }
  }
  return pixels;
}

function paeth(left: number, up: number, corner: number): number {
  const [a, b, c] = [left, up, corner].map((value) => Math.abs(left + up - corner - value)) as [number, number, number];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

/** The most frequent ones, but none beside one that it can hardly be told from: a rare accent counts more than another grey. */
function paletteOf(byFrequency: readonly number[]): readonly number[] {
  const palette: number[] = [];
  for (const colour of byFrequency) {
    if (palette.length === MOST_COLOURS) break;
    if (palette.length < FIRST_COLOURS || nearest(palette, colour).distance > TELLABLE) palette.push(colour);
  }
  return palette;
}

function nearest(palette: readonly number[], colour: number): { readonly place: number; readonly distance: number } {
  let [place, distance] = [0, Number.POSITIVE_INFINITY];
  for (const [index, other] of palette.entries()) {
    const between = ((other >> 16) - (colour >> 16)) ** 2 + (((other >> 8) & 255) - ((colour >> 8) & 255)) ** 2 + ((other & 255) - (colour & 255)) ** 2;
    if (between < distance) [place, distance] = [index, between];
  }
  return { place, distance };
}

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
