// Makes every image of this folder from icon.svg, drawn by a Chromium: node scripts/with-node.mjs node resources/render-icons.mjs
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { findChromium } from '../scripts/find-chromium.mjs';

const here = import.meta.dirname;
const svg = readFileSync(join(here, 'icon.svg'), 'utf8');

/** Styles that make the variants. A macOS template image is black on nothing; the system colours it. */
const whole = '';
const waiting = '#waiting { display: inline }';
// The tray leaves no room for the ground's margin: the purse alone, grown to the edges, with its badge in the corner.
const template = '#ground { display: none } #purse { fill: #000; stroke: #000; transform: translate(16px, 16px) scale(1.6) translate(-16px, -16.5px) } #waiting { fill: #000; cx: 27px; cy: 5px }';

const images = [
  ['icon.png', 512, whole],
  // Of packages: Linux takes them as they are, macOS and Windows in one file (below).
  ...[16, 24, 32, 48, 64, 128, 256, 512, 1024].map((size) => [`icons/${size}x${size}.png`, size, whole]),
  ['tray/tray.png', 16, whole],
  ['tray/tray@2x.png', 32, whole],
  ['tray/tray-waiting.png', 16, waiting],
  ['tray/tray-waiting@2x.png', 32, waiting],
  ['tray/trayTemplate.png', 16, template],
  ['tray/trayTemplate@2x.png', 32, template],
  ['tray/tray-waitingTemplate.png', 16, template + waiting],
  ['tray/tray-waitingTemplate@2x.png', 32, template + waiting],
];

mkdirSync(join(here, 'icons'), { recursive: true });
const browser = await chromium.launch({ executablePath: findChromium(), args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
const page = await browser.newPage();
for (const [file, size, style] of images) {
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(`<!doctype html><style>html, body { margin: 0; background: transparent } svg { display: block; width: 100vw; height: 100vh } ${style}</style>${svg}`);
  await page.screenshot({ path: join(here, file), omitBackground: true });
}
await browser.close();

const png = (size) => readFileSync(join(here, 'icons', `${size}x${size}.png`));
const word = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** Types of an .icns entry that holds a PNG, by its pixels; those of a Retina screen have twice the size that they are named for. */
const ICNS = { ic11: 32, ic12: 64, ic07: 128, ic13: 256, ic08: 256, ic14: 512, ic09: 512, ic10: 1024 };
const entries = Object.entries(ICNS).map(([type, size]) => Buffer.concat([Buffer.from(type), word(png(size).length + 8), png(size)]));
const body = Buffer.concat(entries);
writeFileSync(join(here, 'icon.icns'), Buffer.concat([Buffer.from('icns'), word(body.length + 8), body]));

/** An .ico is a list of places and sizes, then the PNGs; 0 stands for 256 pixels. */
const ICO = [16, 24, 32, 48, 64, 128, 256];
const head = Buffer.alloc(6 + 16 * ICO.length);
head.writeUInt16LE(1, 2);
head.writeUInt16LE(ICO.length, 4);
let place = head.length;
for (const [index, size] of ICO.entries()) {
  const at = 6 + 16 * index;
  head.writeUInt8(size % 256, at);
  head.writeUInt8(size % 256, at + 1);
  head.writeUInt16LE(1, at + 4);
  head.writeUInt16LE(32, at + 6);
  head.writeUInt32LE(png(size).length, at + 8);
  head.writeUInt32LE(place, at + 12);
  place += png(size).length;
}
writeFileSync(join(here, 'icon.ico'), Buffer.concat([head, ...ICO.map(png)]));
