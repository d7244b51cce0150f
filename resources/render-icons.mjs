// Draws every PNG of this folder from icon.svg, in a Chromium: node scripts/with-node.mjs node resources/render-icons.mjs
import { readFileSync } from 'node:fs';
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
  ['tray/tray.png', 16, whole],
  ['tray/tray@2x.png', 32, whole],
  ['tray/tray-waiting.png', 16, waiting],
  ['tray/tray-waiting@2x.png', 32, waiting],
  ['tray/trayTemplate.png', 16, template],
  ['tray/trayTemplate@2x.png', 32, template],
  ['tray/tray-waitingTemplate.png', 16, template + waiting],
  ['tray/tray-waitingTemplate@2x.png', 32, template + waiting],
];

const browser = await chromium.launch({ executablePath: findChromium(), args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
const page = await browser.newPage();
for (const [file, size, style] of images) {
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(`<!doctype html><style>html, body { margin: 0; background: transparent } svg { display: block; width: 100vw; height: 100vh } ${style}</style>${svg}`);
  await page.screenshot({ path: join(here, file), omitBackground: true });
}
await browser.close();
