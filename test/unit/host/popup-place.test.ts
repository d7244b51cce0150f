import fc from 'fast-check';
import { expect, test } from 'vitest';
import { placePopup } from '../../../src/main/host/popup-place.ts';

const workArea = { x: 0, y: 25, width: 1440, height: 875 };
const size = { width: 460, height: 720 };

test('the popup hangs below a menu bar icon instead of covering it', () => {
  expect(placePopup({ tray: { x: 900, y: 0, width: 24, height: 24 }, workArea, size })).toEqual({ x: 682, y: 37, ...size });
});

test('the popup stands above a taskbar at the bottom', () => {
  expect(placePopup({ tray: { x: 1400, y: 900, width: 24, height: 24 }, workArea, size })).toEqual({ x: 968, y: 168, ...size });
});

test('without a known tray place it goes to the upper right corner instead of 0,0', () => {
  expect(placePopup({ tray: { x: 0, y: 0, width: 0, height: 0 }, workArea, size })).toEqual({ x: 968, y: 37, ...size });
});

test('no tray, screen or size puts a part of the popup off the screen', () => {
  const length = fc.integer({ min: 100, max: 6000 });
  const place = fc.integer({ min: -6000, max: 6000 });
  const rectangle = fc.record({ x: place, y: place, width: length, height: length });
  fc.assert(
    fc.property(rectangle, rectangle, (tray, area) => {
      const { x, y, width, height } = placePopup({ tray, workArea: area, size });
      expect(width).toBeGreaterThan(0);
      expect(height).toBeGreaterThan(0);
      expect(x).toBeGreaterThanOrEqual(area.x);
      expect(y).toBeGreaterThanOrEqual(area.y);
      expect(x + width).toBeLessThanOrEqual(area.x + area.width);
      expect(y + height).toBeLessThanOrEqual(area.y + area.height);
    }),
  );
});
