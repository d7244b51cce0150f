export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Distance to the screen's edges in device-independent pixels. */
const MARGIN = 12;

/**
 * Where the approval window goes: beside the tray icon where the system tells its place, else in the upper right corner; always wholly
 * within the work area, and shrunk to it where it is smaller than the window.
 */
export function placePopup({ tray, workArea, size }: { readonly tray: Rectangle; readonly workArea: Rectangle; readonly size: Pick<Rectangle, 'width' | 'height'> }): Rectangle {
  const width = Math.min(size.width, workArea.width - 2 * MARGIN);
  const height = Math.min(size.height, workArea.height - 2 * MARGIN);
  const left = workArea.x + MARGIN;
  const right = workArea.x + workArea.width - MARGIN - width;
  const top = workArea.y + MARGIN;
  const bottom = workArea.y + workArea.height - MARGIN - height;
  // Linux desktops mostly report an empty rectangle.
  if (tray.width === 0 || tray.height === 0) return { x: right, y: top, width, height };
  const inUpperHalf = tray.y + tray.height / 2 < workArea.y + workArea.height / 2;
  const centered = Math.round(tray.x + tray.width / 2 - width / 2);
  return { x: Math.min(right, Math.max(left, centered)), y: inUpperHalf ? top : bottom, width, height };
}
