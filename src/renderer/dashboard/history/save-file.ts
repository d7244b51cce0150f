/** Has the browser save a file. The reader chooses where, or finds it among their downloads. */
export function saveFile(name: string, type: string, parts: readonly string[]): void {
  const url = URL.createObjectURL(new Blob([...parts], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download holds the data by then; a page that stays open need not.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
