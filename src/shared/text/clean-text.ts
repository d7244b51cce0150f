/**
 * Makes a text of a server or client safe to show: control characters (but not line breaks), bidirectional overrides and invisible
 * characters go, and so does everything over `limit` (design, "Renderer").
 */
export function cleanText(text: string, limit = 500): string {
  const visible = text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udfff]/g, '');
  const characters = Array.from(visible);
  return characters.length > limit ? `${characters.slice(0, limit).join('')}…` : visible;
}
